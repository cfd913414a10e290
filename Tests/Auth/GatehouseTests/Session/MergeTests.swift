import Gatehouse
import GatehouseQueues
import GatehouseTesting
import HangGuard
import IdentityToolkit
import TestSupport
import Testing

/// Two `Auth`s whose changes of one stored session cross: what both have is put together.
@Suite(.endsIfItHangs) struct MergeTests {
  @Test func `changes that were not stored for long leave the mark of another Auth's change`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    pair.one.store.hold(.write)
    pair.one.clocks.advance(by: 1)
    _ = try await pair.ada.getIDToken(forcingRefresh: true)
    try await pair.changePicture(to: "p", by: pair.ada)
    let answer = pair.backend.keepBack()
    let change = Delivery { pair.adaThere.updatePassword(to: "battery staple", completion: $0) }
    await answer.waitUntilReached()
    pair.one.store.release(.write)
    try await pair.one.auth.flush()
    #expect(try await pair.memory.load()?.pendingRevocation != nil)
    let token = Delivery { pair.ada.getIDToken(forcingRefresh: true, completion: $0) }
    let over = Task { _ = await token.result }
    let looksAgain = Task { await pair.one.clocks.waitForSleeper(of: 0.25) }
    let ended = Task {
      await over.value
      looksAgain.cancel()
    }
    await looksAgain.value
    #expect(token.count == 0, "it looks again while the change may be under way")
    answer.open()
    try await change.value
    pair.one.clocks.advance(by: 0.25)
    #expect(try await token.value.isEmpty == false)
    await ended.value
    try await pair.expectBothSignedIn()
    #expect(pair.adaThere.profile.photoURL == "p")
  }

  @Test func `many changes that were not stored do not overwrite the tokens of another Auth's change`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    pair.one.store.hold(.write)
    for number in 0..<8 { try await pair.changePicture(to: "\(number)", by: pair.ada) }
    pair.one.clocks.advance(by: 1)
    try await pair.adaThere.updatePassword(to: "battery staple")
    let good = pair.adaThere.refreshToken
    pair.one.store.release(.write)
    try await pair.one.auth.flush()
    let stored = try #require(try await pair.memory.load())
    #expect(stored.revocations == 1 && stored.tokens.refreshToken.revealed == good)
    #expect(pair.ada.refreshToken == good)
    try await pair.expectBothSignedIn()
    #expect(pair.ada.profile.photoURL == "7" && pair.adaThere.profile.photoURL == "7")
  }

  @Test(arguments: [false, true])
  func `the profile that was asked for later is kept, whichever is stored first`(isLate: Bool) async throws {
    let pair = try await Pair(keepingBack: Update.self)
    pair.one.store.hold(.write)
    pair.other.store.hold(.write)
    try await pair.changeName(to: "Ada", by: pair.ada)
    pair.one.clocks.advance(by: 1)
    try await pair.changeName(to: "Ada L.", by: pair.adaThere)
    for scene in isLate ? [pair.one, pair.other] : [pair.other, pair.one] {
      scene.store.release(.write)
      try await scene.auth.flush()
    }
    _ = try await pair.ada.getIDToken(forcingRefresh: true)
    #expect(try await pair.memory.load()?.profile.displayName == "Ada L.")
    #expect(pair.ada.displayName == "Ada L." && pair.adaThere.displayName == "Ada L.")
  }

  @Test func `a change of what another Auth has changed before is kept`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    try await pair.changeName(to: "Ada", by: pair.ada)
    try await pair.one.auth.flush()
    try await pair.changeName(to: "Ada L.", by: pair.adaThere)
    try await pair.other.auth.flush()
    #expect(try await pair.memory.load()?.profile.displayName == "Ada L.")
    #expect(pair.adaThere.displayName == "Ada L.")
  }

  @Test func `an answer that changes nothing here counts against what another Auth has stored before`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    try await pair.changeName(to: "Ada L.", by: pair.adaThere)
    try await pair.other.auth.flush()
    pair.one.clocks.advance(by: 1)
    pair.backend.scripted.change(pair.ada.uid) { $0.displayName = nil }
    try await pair.ada.reload()
    _ = try await pair.ada.getIDToken(forcingRefresh: true)
    try await pair.one.auth.flush()
    let stored = try #require(try await pair.memory.load())
    #expect(stored.profile.displayName == nil && pair.ada.displayName == nil)
  }

  /// When both were asked for at one moment, as far as the clocks tell, the provider is asked once more.
  @Test(arguments: [1.0, 0])
  func `an answer that comes late does not replace one that was asked for later`(seconds: Double) async throws {
    let pair = try await Pair(keepingBack: Lookup.self)
    let answer = pair.backend.keepBack()
    let reload = Delivery { pair.ada.reload(completion: $0) }
    await answer.waitUntilReached()
    pair.backend.keepBack().open()
    pair.one.clocks.advance(by: seconds)
    try await pair.changeName(to: "Ada", by: pair.adaThere)
    try await pair.other.auth.flush()
    _ = try await pair.ada.getIDToken(forcingRefresh: true)
    let before = pair.backend.scripted.count(of: .lookup)
    answer.open()
    try await reload.value
    #expect(pair.backend.scripted.count(of: .lookup) == before + (seconds == 0 ? 1 : 0))
    try await pair.one.auth.flush()
    #expect(pair.ada.displayName == "Ada")
    #expect(try await pair.memory.load()?.profile.displayName == "Ada")
  }

  @Test func `when the clocks do not tell which answer is newer the provider is asked again`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    pair.one.store.hold(.write)
    try await pair.changeName(to: "Ada", by: pair.ada)
    try await pair.changeName(to: "Ada L.", by: pair.adaThere)
    try await pair.other.auth.flush()
    pair.one.store.release(.write)
    try await pair.one.auth.flush()
    #expect(await comes { pair.ada.displayName == "Ada L." })
    try await pair.one.auth.flush()
    #expect(try await pair.memory.load()?.profile.displayName == "Ada L.")
  }

  @Test func `answers that say the same are not asked for again`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    pair.one.store.hold(.write)
    try await pair.changeName(to: "Ada", by: pair.ada)
    try await pair.adaThere.reload()
    _ = try await pair.adaThere.getIDToken(forcingRefresh: true)
    try await pair.other.auth.flush()
    let before = pair.backend.scripted.count(of: .lookup)
    pair.one.store.release(.write)
    try await pair.one.auth.flush()
    try await pair.ada.reload()  // in a turn behind one that was begun by itself
    #expect(pair.backend.scripted.count(of: .lookup) == before + 1)
  }

  @Test func `a profile that another Auth has stored is taken, whatever its clock showed`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    try await pair.changeName(to: "Ada", by: pair.ada)
    try await pair.one.auth.flush()
    try await pair.store { stored in
      stored.profile.displayName = "Ada L."
      stored.profileAsked = stored.profileAsked?.advanced(by: -50)
    }
    _ = try await pair.ada.getIDToken(forcingRefresh: true)
    #expect(pair.ada.displayName == "Ada L.")
  }

  @Test func `a new answer is kept, however far ahead the clock was at the one before`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    try await pair.changeName(to: "Ada", by: pair.ada)
    try await pair.one.auth.flush()
    try await pair.store { $0.profileAsked = $0.profileAsked?.advanced(by: 1000) }
    for user in [pair.ada, pair.adaThere, pair.ada] { _ = try await user.getIDToken(forcingRefresh: true) }
    try await pair.other.auth.flush()
    _ = try await pair.adaThere.getIDToken(forcingRefresh: true)
    try await pair.other.auth.flush()
    try await pair.changeName(to: "Ada L.", by: pair.ada)
    try await pair.one.auth.flush()
    #expect(pair.ada.displayName == "Ada L.")
    #expect(try await pair.memory.load()?.profile.displayName == "Ada L.")
  }

  @Test func `a look-up that has met its deadline is not sent again`() async throws {
    let pair = try await Pair(keepingBack: Lookup.self)
    let answer = pair.backend.keepBack()
    pair.one.clocks.advance(by: 1)  // a deadline of an earlier call that has not gone yet is none of 30 s now
    let late = Delivery { pair.ada.reload(completion: $0) }
    await answer.waitUntilReached()
    await pair.one.clocks.waitForSleepers(2, of: 30)
    pair.backend.keepBack().open()
    pair.one.clocks.advance(by: 31)
    await #expect(throws: AuthError.self) { try await late.value }
    pair.one.clocks.setBoot(pair.one.clocks.now().boot - 31)  // the clocks do not tell which answer is newer
    try await pair.changeName(to: "Ada", by: pair.ada)
    let before = pair.backend.scripted.count(of: .lookup)
    answer.open()
    try await pair.ada.reload()
    try await pair.one.auth.flush()
    #expect(pair.backend.scripted.count(of: .lookup) == before + 1)
    #expect(pair.ada.displayName == "Ada")
  }

  @Test func `later tokens of as many changes are kept, and stored`() async throws {
    let pair = try await Pair(keepingBack: ExchangeRefreshToken.self)
    let answer = pair.backend.keepBack()
    let refresh = Delivery { pair.ada.getIDToken(forcingRefresh: true, completion: $0) }
    await answer.waitUntilReached()
    pair.backend.keepBack().open()
    _ = try await pair.adaThere.getIDToken(forcingRefresh: true)
    try await pair.other.auth.flush()
    pair.one.clocks.advance(by: 5)
    answer.open()
    let later = try await refresh.value
    try await pair.one.auth.flush()
    #expect(try await pair.memory.load()?.tokens.idToken.revealed == later)
  }

  @Test func `earlier tokens that could not be stored give way to later ones`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    pair.one.store.hold(.write)
    _ = try await pair.ada.getIDToken(forcingRefresh: true)
    pair.one.clocks.advance(by: 5)
    let later = try await pair.adaThere.getIDToken(forcingRefresh: true)
    try await pair.other.auth.flush()
    pair.one.store.release(.write)
    try await pair.one.auth.flush()
    #expect(try await pair.memory.load()?.tokens.idToken.revealed == later)
    #expect(try await pair.ada.getIDToken() == later)
  }

  @Test func `tokens that another Auth has stored are taken, whatever its clock showed`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    pair.one.clocks.advance(by: 100)
    let mine = try await pair.ada.getIDToken(forcingRefresh: true)
    try await pair.one.auth.flush()
    try await pair.store { stored in
      stored.tokens.idToken = Secret("a.b.c")
      stored.tokens.received = stored.tokens.received.advanced(by: -50)
    }
    try await pair.changePicture(to: "p", by: pair.ada)
    try await pair.one.auth.flush()
    #expect(try await pair.memory.load()?.tokens.idToken.revealed != mine)
  }

  @Test func `an older copy that was put back brings no old tokens back`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    let old = try #require(try await pair.memory.load())
    try await pair.changeName(to: "Ada", by: pair.ada)
    try await pair.ada.updatePassword(to: "battery staple")
    try await pair.one.auth.flush()
    _ = try await pair.memory.write(old, if: .always)
    pair.one.clocks.advance(by: 1)
    _ = try await pair.ada.getIDToken(forcingRefresh: true)
    try await pair.one.auth.flush()
    let stored = try #require(try await pair.memory.load())
    #expect(stored.tokens.refreshToken.revealed == pair.ada.refreshToken && stored.revocations == 1)
    #expect(stored.profile.displayName == "Ada")
  }

  @Test func `a store that fails after it has written costs no later change`() async throws {
    let memory = MemoryCredentialStore()
    let store = StoreThatFailsLate(memory)
    let scene = Scene(store: FaultyStore(store))
    let ada = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password).user
    store.fails.withLock { $0 = true }
    scene.backend.change(ada.uid) { $0.photoUrl = "1" }
    try await ada.reload()
    await #expect(throws: AuthError.self) { try await scene.auth.flush() }
    scene.backend.change(ada.uid) { $0.photoUrl = "2" }
    try await ada.reload()
    store.fails.withLock { $0 = false }
    try await scene.auth.flush()
    #expect(ada.profile.photoURL == "2")
    #expect(try await memory.load()?.profile.photoURL == "2")
  }

  @Test func `a change is kept though the one before it was stored by a store that failed`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    pair.late.fails.withLock { $0 = true }
    try await pair.changeName(to: "Ada", by: pair.ada)
    await #expect(throws: AuthError.self) { try await pair.one.auth.flush() }
    _ = try await pair.adaThere.getIDToken(forcingRefresh: true)
    try await pair.other.auth.flush()
    pair.late.fails.withLock { $0 = false }
    try await pair.changeName(to: "Ada L.", by: pair.ada)
    try await pair.one.auth.flush()
    #expect(pair.ada.displayName == "Ada L.")
    #expect(try await pair.memory.load()?.profile.displayName == "Ada L.")
  }

  @Test(arguments: [false, true])
  func `the mark of a change that was not sent goes, though the store wrote it and failed`(
    isOverwritten: Bool
  ) async throws {
    let pair = try await Pair(keepingBack: Update.self)
    pair.late.fails.withLock { $0 = true }
    await #expect(throws: AuthError.self) { try await pair.ada.updatePassword(to: "battery staple") }
    await #expect(throws: AuthError.self) { try await pair.one.auth.flush() }
    if isOverwritten {
      _ = try await pair.adaThere.getIDToken(forcingRefresh: true)
      try await pair.other.auth.flush()
    }
    #expect(try await pair.memory.load()?.pendingRevocation != nil)
    pair.late.fails.withLock { $0 = false }
    try await pair.one.auth.flush()
    #expect(try await pair.memory.load()?.pendingRevocation == nil)
    #expect(pair.backend.scripted.count(of: .update) == 0)
  }

  @Test func `the mark of a change that was not made goes by itself when the store is well again`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    pair.late.fails.withLock { $0 = true }
    await #expect(throws: AuthError.self) { try await pair.ada.updatePassword(to: "battery staple") }
    for seconds in [0.25, 0.5] {
      await pair.one.clocks.waitForSleeper(of: seconds)
      #expect(try await pair.memory.load()?.pendingRevocation != nil)
      if seconds == 0.5 { pair.late.fails.withLock { $0 = false } }
      pair.one.clocks.advance(by: seconds)
    }
    #expect(await comes { (try? await pair.memory.load())??.pendingRevocation == nil })
    try await pair.adaThere.updatePassword(to: "third time lucky")
  }

  @Test func `a session that has ended is not owed to the store any more`() async throws {
    let store = WatchfulStore()
    let scene = Scene(store: FaultyStore(store))
    let ada = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password).user
    store.refuse { call in
      guard case .write(.some, _) = call else { return nil }
      return AuthError(.storeFailed, "the disk is full")
    }
    scene.backend.change(ada.uid) { $0.photoUrl = "p" }
    try await ada.reload()
    await #expect(throws: AuthError.self) { try await scene.auth.flush() }
    try scene.auth.signOut()
    try await scene.auth.flush()
    #expect(try await store.load() == nil)
  }

  @Test func `what waits for its turn when a close gives up is stored all the same`() async throws {
    let (scene, ada) = try await Scene.signedIn { $0.timeouts.store = .seconds(3) }
    scene.store.hold(.write)
    for number in 1...2 {
      scene.backend.change(ada.uid) { $0.photoUrl = "\(number)" }
      try await ada.reload()
      await scene.store.waitUntilHeld(.write)
    }
    let closed = Delivery { scene.auth.close(completion: $0) }
    await scene.clocks.waitForSleeper(of: 3)
    scene.clocks.advance(by: 3)
    await #expect(throws: AuthError.self) { try await closed.value }
    scene.store.release(.write)
    while try await scene.store.load()?.profile.photoURL != "2" { await Task.yield() }
  }

  @Test func `what a close still stores is merged as well`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    pair.one.store.hold(.write)
    try await pair.changePicture(to: "p", by: pair.ada)
    _ = try await pair.adaThere.getIDToken(forcingRefresh: true)
    try await pair.other.auth.flush()
    let token = pair.adaThere.refreshToken
    let closed = Delivery { pair.one.auth.close(completion: $0) }
    pair.one.store.release(.write)
    try await closed.value
    let stored = try #require(try await pair.memory.load())
    #expect(stored.tokens.refreshToken.revealed == token && stored.profile.photoURL == "p")
  }
}

extension Pair {
  fileprivate func changePicture(to url: String, by user: User) async throws {
    backend.scripted.change(user.uid) { $0.photoUrl = url }
    try await user.reload()
  }

  fileprivate func changeName(to name: String, by user: User) async throws {
    backend.scripted.change(user.uid) { $0.displayName = name }
    try await user.reload()
  }
}
