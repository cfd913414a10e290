import Gatehouse
import GatehouseQueues
import GatehouseTesting
import HangGuard
import IdentityToolkit
import TestSupport
import Testing

/// Two `Auth`s on one store never lose a good session.
@Suite(.endsIfItHangs) struct SharedStoreTests {
  @Test func `a refusal while another Auth changes the password ends nothing`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    let answer = pair.backend.keepBack()
    let change = Delivery { pair.ada.updatePassword(to: "battery staple", completion: $0) }
    await answer.waitUntilReached()
    let token = Delivery { pair.adaThere.getIDToken(forcingRefresh: true, completion: $0) }
    await pair.backend.scripted.waitForCall(.refresh)
    let looksAgain = Task { await pair.one.clocks.waitForSleeper(of: 0.25) }
    let refused = Task {
      _ = await token.result
      looksAgain.cancel()
    }
    await looksAgain.value
    #expect(token.count == 0, "it looks again for a while")
    answer.open()
    try await change.value
    try await pair.one.auth.flush()
    pair.one.clocks.advance(by: 0.25)
    #expect(try await token.value.isEmpty == false)
    await refused.value
    try await pair.expectBothSignedIn()
  }

  @Test func `an old refresh that is answered after a password change does not replace the new tokens`() async throws {
    let pair = try await Pair(keepingBack: ExchangeRefreshToken.self)
    let answer = pair.backend.keepBack()
    let token = Delivery { pair.adaThere.getIDToken(forcingRefresh: true, completion: $0) }
    await answer.waitUntilReached()
    try await pair.ada.updatePassword(to: "battery staple")
    try await pair.one.auth.flush()
    pair.one.clocks.advance(by: 10)  // the answer comes later than the new tokens
    answer.open()
    _ = await token.result
    try await pair.other.auth.flush()
    try await pair.expectBothSignedIn()
  }

  @Test func `an old refresh that is answered after the new tokens were adopted brings nothing`() async throws {
    let pair = try await Pair(keepingBack: ExchangeRefreshToken.self)
    let answer = pair.backend.keepBack()
    let token = Delivery { pair.adaThere.getIDToken(forcingRefresh: true, completion: $0) }
    await answer.waitUntilReached()
    try await pair.ada.updatePassword(to: "battery staple")
    pair.backend.scripted.change(pair.ada.uid) { $0.photoUrl = "p" }
    try await pair.adaThere.reload()
    try await pair.other.auth.flush()
    #expect(pair.adaThere.refreshToken == pair.ada.refreshToken, "storing the picture met the new tokens")
    pair.one.clocks.advance(by: 10)
    answer.open()
    _ = try await token.value
    #expect(pair.adaThere.refreshToken == pair.ada.refreshToken)
    try await pair.expectBothSignedIn()
    #expect(pair.adaThere.profile.photoURL == "p" && pair.ada.profile.photoURL == "p")
  }

  @Test func `a refresh survives as many changes of the password as come during it`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    let changes = Lock(0)
    pair.backend.scripted.onCall { [adaThere = pair.adaThere] kind in
      guard kind == .refresh, let number = changes.withLock({ $0 < 3 ? $0 : nil }) else { return }
      changes.withLock { $0 += 1 }
      try? await adaThere.updatePassword(to: "battery staple \(number)")
    }
    #expect(try await pair.ada.getIDToken(forcingRefresh: true).isEmpty == false)
    #expect(changes.withLock { $0 } == 3)
    pair.backend.scripted.onCall { _ in }
    try await pair.expectBothSignedIn()
  }

  @Test func `an erasure that meets a newer session leaves it alone, and takes it`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    pair.other.store.hold(.write)
    pair.backend.scripted.fail(.refresh, AuthError(server: "TOKEN_EXPIRED"))
    let token = Delivery { pair.adaThere.getIDToken(forcingRefresh: true, completion: $0) }
    await pair.other.store.waitUntilHeld(.write)  // the erasure, behind the last look
    pair.one.clocks.advance(by: 1)
    try await pair.ada.updatePassword(to: "battery staple")
    try await pair.one.auth.flush()
    pair.other.store.release(.write)
    _ = await token.result
    try await pair.expectBothSignedIn()
  }

  @Test func `an adopted token ends the pause of the refreshes`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    pair.backend.scripted.fail(.refresh, AuthError(.tooManyRequests, "slow down", retryAfter: .seconds(600)))
    await #expect(throws: AuthError.self) { try await pair.adaThere.getIDToken(forcingRefresh: true) }
    pair.one.clocks.advance(by: 1)
    _ = try await pair.ada.getIDToken(forcingRefresh: true)
    try await pair.one.auth.flush()
    #expect(try await pair.adaThere.getIDToken(forcingRefresh: true).isEmpty == false)
  }

  @Test func `a session that the provider has ended is erased, and both are signed out`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    pair.backend.scripted.change(pair.ada.uid) { $0.disabled = true }
    let error = await #expect(throws: AuthError.self) { try await pair.ada.getIDToken(forcingRefresh: true) }
    #expect(error?.code == .userDisabled)
    #expect(pair.one.auth.currentUser == nil)
    try await pair.one.auth.flush()
    #expect(try await pair.memory.load() == nil)
    await #expect(throws: AuthError.self) { try await pair.adaThere.getIDToken(forcingRefresh: true) }
    #expect(pair.other.auth.currentUser == nil)
  }

  // MARK: The mark of a change

  @Test func `a change is marked in the store before it is sent, and its tokens take the mark away`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    let marks = Lock<[Bool]>([])
    pair.backend.scripted.onCall { [memory = pair.memory] kind in
      guard kind == .update, let stored = try? await memory.load() else { return }
      marks.withLock { $0.append(stored.pendingRevocation != nil) }
    }
    try await pair.ada.updatePassword(to: "battery staple")
    #expect(marks.withLock { $0 } == [true])
    #expect(try await pair.memory.load()?.pendingRevocation == nil)
  }

  @Test func `a change that the provider refuses leaves no mark`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    pair.backend.scripted.fail(.update, AuthError(server: "WEAK_PASSWORD"))
    await #expect(throws: AuthError.self) { try await pair.ada.updatePassword(to: "x") }
    try await pair.one.auth.flush()
    #expect(try await pair.memory.load()?.pendingRevocation == nil)
  }

  @Test func `a change whose end is not known leaves its mark`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    pair.backend.scripted.fail(.update, AuthError(.networkError, "no route"))
    await #expect(throws: AuthError.self) { try await pair.ada.updatePassword(to: "battery staple") }
    try await pair.one.auth.flush()
    #expect(try await pair.memory.load()?.pendingRevocation != nil)
    try await pair.ada.updatePassword(to: "battery staple")  // one's own mark is not waited for
    _ = try await pair.adaThere.getIDToken(forcingRefresh: true)
    try await pair.expectBothSignedIn()
  }

  @Test func `a change that cannot be marked is not sent`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let full = AuthError(.storeFailed, "the disk is full")
    scene.store.fail(.write, with: full)
    let error = await #expect(throws: AuthError.self) { try await user.updatePassword(to: "battery staple") }
    #expect(error == full && scene.backend.count(of: .update) == 0)
    try await user.updatePassword(to: "battery staple")
    #expect(try await scene.store.load()?.tokens.refreshToken.revealed == user.refreshToken)
  }

  @Test func `the mark of a program that ended blocks for its time, and no longer`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    try await pair.mark(limit: 40, age: 39.9)
    pair.backend.scripted.fail(.refresh, AuthError(server: "TOKEN_EXPIRED"))
    let token = Delivery { pair.ada.getIDToken(forcingRefresh: true, completion: $0) }
    await pair.one.clocks.waitForSleeper(of: 0.25)
    #expect(pair.one.auth.currentUser == pair.ada)
    pair.one.clocks.advance(by: 0.25)
    await #expect(throws: AuthError.self) { try await token.value }
    #expect(pair.one.auth.currentUser == nil)
    #expect(try await pair.memory.load() == nil)
  }

  @Test func `a change gives up before its timeout when another Auth's mark lasts longer, and says how long`()
    async throws
  {
    let pair = try await Pair(keepingBack: Update.self)
    try await pair.mark(limit: 40)
    let change = Delivery { pair.ada.updatePassword(to: "battery staple", completion: $0) }
    await pair.one.clocks.waitForSleeper(of: 0.25)
    pair.one.clocks.advance(by: 29.6)
    let error = await #expect(throws: AuthError.self) { try await change.value }
    #expect(error?.code == .deadlineExceeded && error?.retryAfter == .seconds(11))
    #expect(pair.backend.scripted.count(of: .update) == 0)
    pair.one.clocks.advance(by: 10.4)
    try await pair.ada.updatePassword(to: "battery staple")
  }

  @Test func `a mark without an end that a foreign program has stored stops nothing`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    try await pair.mark(limit: 1e300)
    let change = Delivery { pair.ada.updatePassword(to: "battery staple", completion: $0) }
    await pair.one.clocks.waitForSleeper(of: 0.25)
    pair.one.clocks.advance(by: 29.6)
    let error = await #expect(throws: AuthError.self) { try await change.value }
    #expect(error?.code == .deadlineExceeded)
  }

  @Test func `a change of the name leaves the mark of a password change whose end is not known`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    pair.backend.scripted.fail(.update, AuthError(.networkError, "no route"))
    await #expect(throws: AuthError.self) { try await pair.ada.updatePassword(to: "battery staple") }
    let change = pair.ada.createProfileChangeRequest()
    change.displayName = "Ada"
    try await change.commitChanges()
    try await pair.one.auth.flush()
    #expect(try await pair.memory.load()?.pendingRevocation != nil)
  }

  /// Also when the later one's `Auth` has made a mark before, and its clock shows the same moment.
  @Test(arguments: [0, 1])
  func `of two changes of the password at once the later one waits for the earlier one's tokens`(
    before: Int
  ) async throws {
    let pair = try await Pair(keepingBack: Update.self)
    for _ in 0..<before { try await pair.adaThere.updatePassword(to: "battery staple") }
    let answer = pair.backend.keepBack()
    let first = Delivery { pair.ada.updatePassword(to: "battery staple", completion: $0) }
    await answer.waitUntilReached()
    let second = Delivery { pair.adaThere.updatePassword(to: "third time lucky", completion: $0) }
    await pair.one.clocks.waitForSleeper(of: 0.25)
    #expect(second.count == 0 && pair.backend.scripted.count(of: .update) == before + 1)
    answer.open()
    try await first.value
    pair.one.clocks.advance(by: 0.25)
    try await second.value
    _ = try await pair.adaThere.getIDToken(forcingRefresh: true)
    try await pair.expectBothSignedIn()
  }

  @Test func `a refusal that the store cannot be asked about ends nothing, and is decided later`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.change(user.uid) { $0.disabled = true }
    scene.store.fail(.write, with: AuthError(.storeFailed, "the disk is full"))
    let error = await #expect(throws: AuthError.self) { try await user.getIDToken(forcingRefresh: true) }
    #expect(error?.code == .userDisabled)
    #expect(scene.auth.currentUser == user, "a store that fails has not said that the session is over")
    await #expect(throws: AuthError.self) { try await user.getIDToken(forcingRefresh: true) }
    #expect(scene.auth.currentUser == nil)
  }

  @Test func `a refusal of tokens that were replaced before its erasure had its turn ends nothing`() async throws {
    let (scene, user) = try await Scene.signedIn { $0.timeouts.refresh = .seconds(5) }
    scene.backend.hold(.refresh)
    let first = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.backend.waitForCall(.refresh)
    await scene.clocks.waitForSleeper(of: 5)
    scene.clocks.advance(by: 5)
    await #expect(throws: AuthError.self) { try await first.value }
    let second = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.backend.waitForCall(.refresh, count: 2)
    scene.store.hold(.load)
    scene.backend.fail(.refresh, AuthError(server: "TOKEN_EXPIRED"))
    scene.backend.releaseLast(.refresh)
    await scene.store.waitUntilHeld(.load)  // the look into the store, before the erasure
    let heard = Heard()
    scene.auth.addIDTokenDidChangeListener { heard.note($1) }
    scene.backend.release(.refresh)  // the first one's answer, late
    await heard.wait(for: 2)
    scene.store.release(.load)
    _ = await second.result
    try await scene.auth.flush()
    #expect(scene.auth.currentUser == user)
    #expect(try await scene.store.load() != nil)
  }

  @Test func `a change whose answer comes after a later change has succeeded does not replace its tokens`() async throws
  {
    let backend = LateBackend(keepingBack: Update.self)
    let (scene, user) = try await Scene.signedIn {
      $0.backend = backend
      $0.timeouts.call = .seconds(40)
    }
    scene.clocks.advance(by: 1)  // a deadline of the sign-up that has not gone yet is none of 40 s now
    let late = backend.keepBack()
    let first = Delivery { user.updatePassword(to: "battery staple", timeout: .seconds(50), completion: $0) }
    await late.waitUntilReached()
    await scene.clocks.waitForSleeper(of: 40)  // the change has its turn among the refreshes for so long
    scene.clocks.advance(by: 40)
    await #expect(throws: AuthError.self) { try await first.value }
    backend.keepBack().open()
    try await user.updatePassword(to: "third time lucky")
    let good = user.refreshToken
    late.open()
    for _ in 0..<50 { _ = try await user.getIDToken(forcingRefresh: true) }
    #expect(user.refreshToken == good)
  }
}
