import Gatehouse
import GatehouseTesting
import HangGuard
import TestSupport
import Testing

struct SavedUsersTests {
  /// A scene whose store keeps users, with Ada and then Bob signed in.
  private static func pair(
    _ adjust: (inout Auth.Configuration) -> Void = { _ in }
  ) async throws -> (scene: Scene, ada: User, bob: User) {
    let scene = Scene(store: FaultyStore(MemoryCredentialStore(keepsUsers: true)), adjust)
    let ada = try await scene.auth.createUser(withEmail: "ada@example.com", password: Scene.password).user
    let bob = try await scene.auth.createUser(withEmail: "bob@example.com", password: Scene.password).user
    // Nothing is left to write, so that a write that is held is the one of the call that is tested.
    try await bob.reload()
    try await scene.auth.flush()
    return (scene, ada, bob)
  }

  @Test func `a sign-in sets the last user aside, who can be switched back to without the provider`() async throws {
    let scene = Scene(store: FaultyStore(MemoryCredentialStore(keepsUsers: true)))
    let ada = try await scene.auth.createUser(withEmail: "ada@example.com", password: Scene.password).user
    let token = try await ada.getIDToken()
    let bob = try await scene.auth.createUser(withEmail: "bob@example.com", password: Scene.password).user
    let saved = try await scene.auth.savedUsers()
    #expect(saved.map(\.uid) == [bob.uid, ada.uid])
    #expect(saved.map(\.isCurrent) == [true, false])
    #expect(saved.map(\.email) == ["bob@example.com", "ada@example.com"])
    let calls = scene.backend.count(of: .lookup)
    let again = try await scene.auth.switchUser(toUID: ada.uid)
    #expect(again.uid == ada.uid && scene.auth.currentUser == again)
    #expect(try await again.getIDToken() == token)
    #expect(scene.backend.count(of: .lookup) == calls)
    #expect(try await scene.auth.savedUsers().map(\.uid) == [ada.uid, bob.uid])
    let error = await #expect(throws: AuthError.self) { try await bob.reload() }
    #expect(error?.code == .sessionEnded)
    #expect(try await scene.auth.switchUser(toUID: ada.uid) == again, "who is signed in stays")
  }

  /// A scene whose store holds Bob's session and, set aside, Ada's, which is damaged.
  private static func damaged() async throws -> (scene: Scene, shelf: any UserShelf) {
    let store = MemoryCredentialStore(keepsUsers: true), shelf = try #require(store.shelf)
    let before = Scene(store: FaultyStore(store))
    for name in ["ada", "bob"] {
      _ = try await before.auth.createUser(withEmail: "\(name)@example.com", password: Scene.password)
    }
    try await before.auth.close()
    let stored = try await shelf.sessions()
    var odd = stored
    odd.others[0].generation = .max
    #expect(try await shelf.replace(stored, by: odd))
    let scene = Scene(backend: before.backend, store: FaultyStore(store))
    let error = await #expect(throws: AuthError.self) { try await scene.auth.ready() }
    #expect(error?.code == .storeDamaged)
    return (scene, shelf)
  }

  @Test func `a sign-in over a damaged session that is set aside keeps the others`() async throws {
    let (scene, _) = try await Self.damaged()
    let cleo = try await scene.auth.createUser(withEmail: "cleo@example.com", password: Scene.password).user
    try await scene.auth.flush()
    #expect(try await scene.auth.savedUsers().map(\.email) == ["cleo@example.com", "bob@example.com"])
    #expect(scene.auth.currentUser == cleo)
  }

  @Test func `who signs in elsewhere during a sign-in over a damaged session is set aside`() async throws {
    let (scene, shelf) = try await Self.damaged()
    scene.store.hold(.write)
    async let signIn = scene.auth.createUser(withEmail: "cleo@example.com", password: Scene.password)
    await scene.store.waitUntilHeld(.write)
    let known = try await shelf.sessions()
    var dora = try #require(known.current)
    dora.profile.uid = "dora"
    #expect(try await shelf.replace(known, by: SessionShelf(current: dora, others: known.all)))
    scene.store.release(.write)
    let cleo = try await signIn.user
    #expect(try await scene.auth.savedUsers().map(\.uid).prefix(2) == [cleo.uid, "dora"])
  }

  @Test func `a sign-in over damage erases nothing if the disk fails when it looks again`() async throws {
    let (scene, ada, bob) = try await Self.pair()
    // The session that is replaced is looked for first, and then all of them.
    scene.store.fail(.load, with: AuthError(.storeDamaged, "the file is cut short"), times: 2)
    scene.store.fail(.load, with: AuthError(.storeFailed, "the disk fails"))
    let error = await #expect(throws: AuthError.self) {
      try await scene.auth.createUser(withEmail: "cleo@example.com", password: Scene.password)
    }
    #expect(error?.code == .storeFailed)
    #expect(try await scene.store.sessions().all.map(\.profile.uid) == [bob.uid, ada.uid])
  }

  @Test func `a sign-out ends the current user alone, and a forgotten user is gone`() async throws {
    let (scene, ada, bob) = try await Self.pair()
    try scene.auth.signOut()
    try await scene.auth.flush()
    #expect(try await scene.auth.savedUsers().map(\.uid) == [ada.uid])
    let gone = await #expect(throws: AuthError.self) { try await scene.auth.switchUser(toUID: bob.uid) }
    #expect(gone?.code == .userNotFound)
    #expect(scene.auth.currentUser == nil)
    try await scene.auth.forgetUser(withUID: ada.uid)
    try await scene.auth.forgetUser(withUID: ada.uid)
    #expect(try await scene.auth.savedUsers().isEmpty)
  }

  @Test func `the user who is signed in is not forgotten, and the caller is told`() async throws {
    let (scene, ada, bob) = try await Self.pair()
    let error = await #expect(throws: AuthError.self) { try await scene.auth.forgetUser(withUID: bob.uid) }
    #expect(error?.code == .operationNotAllowed && error?.message.contains("signOut()") == true)
    let forget = Delivery { scene.auth.forgetUser(withUID: bob.uid, completion: $0) }
    let delivered = await #expect(throws: AuthError.self) { try await forget.value }
    #expect(delivered?.code == .operationNotAllowed)
    #expect(scene.auth.currentUser == bob)
    #expect(try await scene.auth.savedUsers().map(\.uid) == [bob.uid, ada.uid])
  }

  @Test func `who has signed out and is stored yet, because the disk failed, can be forgotten`() async throws {
    let (scene, ada, bob) = try await Self.pair()
    scene.store.fail(.write, with: AuthError(.storeFailed, "the disk is full"))
    try scene.auth.signOut()
    try await scene.auth.forgetUser(withUID: bob.uid)
    #expect(try await scene.store.load() == nil)
    #expect(try await scene.store.sessions().others.map(\.profile.uid) == [ada.uid])
  }

  @Test func `a store of one user keeps one, and says so`() async throws {
    let scene = Scene()
    _ = try await scene.auth.signInAnonymously()
    let error = await #expect(throws: AuthError.self) { try await scene.auth.savedUsers() }
    #expect(error?.code == .operationNotAllowed)
    #expect(error?.message.contains("keepsUsers: true") == true)
  }

  @Test func `what is in flight for the last user is awaited, and its token is kept`() async throws {
    let (scene, ada, bob) = try await Self.pair()
    scene.backend.hold(.refresh)
    async let fresh = bob.getIDToken(forcingRefresh: true)
    await scene.backend.waitForCall(.refresh)
    let change = Delivery { scene.auth.switchUser(toUID: ada.uid, completion: $0) }
    _ = try await scene.auth.savedUsers()
    #expect(scene.auth.currentUser == bob && change.count == 0)
    scene.backend.release(.refresh)
    let token = try await fresh
    _ = try await change.value
    #expect(try await scene.store.sessions().others.map(\.tokens.idToken.revealed) == [token])
    #expect(try await scene.auth.switchUser(toUID: bob.uid).getIDToken() == token)
  }

  @Test func `a sign-in awaits it as well`() async throws {
    let (scene, _, bob) = try await Self.pair()
    scene.backend.hold(.refresh)
    async let fresh = bob.getIDToken(forcingRefresh: true)
    await scene.backend.waitForCall(.refresh)
    let signIn = Delivery {
      scene.auth.signIn(withEmail: "ada@example.com", password: Scene.password, completion: $0)
    }
    await scene.backend.waitForCall(.lookup, count: 3)
    _ = try await scene.auth.savedUsers()
    #expect(scene.auth.currentUser == bob && signIn.count == 0)
    scene.backend.release(.refresh)
    let token = try await fresh
    _ = try await signIn.value
    #expect(try await scene.store.sessions().others.map(\.tokens.idToken.revealed) == [token])
  }

  @Test func `a sign-out that overtakes a switch ends the user who was signed in`() async throws {
    let (scene, ada, bob) = try await Self.pair()
    scene.store.hold(.write)
    let change = Delivery { scene.auth.switchUser(toUID: ada.uid, completion: $0) }
    await scene.store.waitUntilHeld(.write)
    try scene.auth.signOut()
    scene.store.release(.write)
    let error = await #expect(throws: AuthError.self) { try await change.value }
    #expect(error?.code == .superseded)
    try await scene.auth.flush()
    #expect(scene.auth.currentUser == nil)
    #expect(try await scene.store.load() == nil)
    #expect(try await scene.store.sessions().others.map(\.profile.uid) == [ada.uid], "and not \(bob.uid)")
  }

  @Test func `a switch that the store refuses changes nothing`() async throws {
    let (scene, ada, bob) = try await Self.pair()
    scene.store.fail(.write, with: AuthError(.storeFailed, "the disk is full"))
    let error = await #expect(throws: AuthError.self) { try await scene.auth.switchUser(toUID: ada.uid) }
    #expect(error?.code == .storeFailed)
    #expect(scene.auth.currentUser == bob)
    _ = try await scene.auth.switchUser(toUID: ada.uid)
  }

  @Test func `users stay in the file between runs`() async throws {
    try await withTemporaryFolder { folder in
      let backend = ScriptedBackend()
      func auth() -> Auth {
        Auth(
          .init(
            backend: backend, store: .file(folder + "/session", keepsUsers: true), clocks: ManualClocks(),
            logger: .silent))
      }
      let first = auth()
      let ada = try await first.createUser(withEmail: "ada@example.com", password: Scene.password).user
      _ = try await first.createUser(withEmail: "bob@example.com", password: Scene.password)
      try await first.close()
      let second = auth()
      _ = try await second.switchUser(toUID: ada.uid)
      try await second.close()
      let third = auth()
      try await third.ready()
      #expect(third.currentUser?.uid == ada.uid)
      #expect(try await third.savedUsers().count == 2)
    }
  }

  @Test(.endsIfItHangs)
  func `a token is not waited for without end while a switch waits for the store`() async throws {
    let store = FaultyStore(MemoryCredentialStore(keepsUsers: true))
    let scene = Scene(store: store) { $0.timeouts.refresh = .seconds(7) }
    let ada = try await scene.auth.createUser(withEmail: "ada@example.com", password: Scene.password).user
    let bob = try await scene.auth.createUser(withEmail: "bob@example.com", password: Scene.password).user
    store.hold(.write)
    let switching = Delivery { scene.auth.switchUser(toUID: ada.uid, completion: $0) }
    await store.waitUntilHeld(.write)
    let token = Delivery { bob.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.clocks.waitForSleeper(of: .seconds(7))
    scene.clocks.advance(by: 7)
    let error = await #expect(throws: AuthError.self) { try await token.value }
    #expect(error?.code == .deadlineExceeded)
    store.release(.write)
    #expect(try await switching.value.uid == ada.uid)
  }

  /// The caller of the switch has left, and the store still hangs in it.
  @Test(.endsIfItHangs)
  func `a token is not waited for without end after the caller of a switch has left`() async throws {
    // Not a second that earlier calls have a deadline at, which may still be seen when it was cancelled.
    let (scene, ada, bob) = try await Self.pair { $0.timeouts.refresh = .milliseconds(7500) }
    scene.store.hold(.write)
    let switching = Delivery { scene.auth.switchUser(toUID: ada.uid, timeout: .seconds(3), completion: $0) }
    await scene.store.waitUntilHeld(.write)
    await scene.clocks.waitForSleeper(of: .seconds(3))
    scene.clocks.advance(by: 3)
    await #expect(throws: AuthError.self) { try await switching.value }
    let token = Delivery { bob.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.clocks.waitForSleeper(of: .milliseconds(7500))
    scene.clocks.advance(by: 7.5)
    let error = await #expect(throws: AuthError.self) { try await token.value }
    #expect(error?.code == .deadlineExceeded)
    scene.store.release(.write)
    try await scene.auth.flush()
    #expect(scene.auth.currentUser == bob)
    _ = try await bob.getIDToken(forcingRefresh: true)
  }

  /// No clock moves here: the end of the session alone ends the calls.
  @Test(.endsIfItHangs)
  func `a sign-out ends every call of a user while a switch waits for the store`() async throws {
    let (scene, ada, bob) = try await Self.pair()
    scene.store.hold(.write)
    let switching = Delivery { scene.auth.switchUser(toUID: ada.uid, completion: $0) }
    await scene.store.waitUntilHeld(.write)
    let token = Delivery { bob.getIDToken(forcingRefresh: true, completion: $0) }
    let another = Delivery { bob.getIDToken(forcingRefresh: true, completion: $0) }
    let change = Delivery { bob.reload(completion: $0) }
    try scene.auth.signOut()
    for error in await [token.error, another.error, change.error] { #expect(error?.code == .nullUser) }
    scene.store.release(.write)
    #expect(await switching.error?.code == .superseded)
  }

  /// The close ends the switch, so the change that waited for it is sent. It is in flight when the close gives up.
  @Test(.endsIfItHangs)
  func `a close ends every call of a user while a switch waits for the store`() async throws {
    let (scene, ada, bob) = try await Self.pair()
    scene.store.hold(.write)
    scene.backend.hold(.lookup)
    let lookups = scene.backend.count(of: .lookup)
    let switching = Delivery { scene.auth.switchUser(toUID: ada.uid, completion: $0) }
    await scene.store.waitUntilHeld(.write)
    let token = Delivery { bob.getIDToken(forcingRefresh: true, completion: $0) }
    let change = Delivery { bob.reload(completion: $0) }
    let closing = Delivery { scene.auth.close(timeout: .seconds(3), completion: $0) }
    await scene.backend.waitForCall(.lookup, count: lookups + 1)
    for _ in 1...2 {  // one wait for the calls in flight, and one for the store
      await scene.clocks.waitForSleeper(of: .seconds(3))
      scene.clocks.advance(by: 3)
    }
    #expect(await closing.error?.code == .deadlineExceeded)
    for error in await [switching.error, token.error, change.error] { #expect(error?.code == .closed) }
    scene.backend.release(.lookup)
    scene.store.release(.write)
  }

  @Test(.endsIfItHangs)
  func `a close ends a switch, awaits the change behind it, and leaves the user stored`() async throws {
    let (scene, ada, bob) = try await Self.pair()
    scene.store.hold(.write)
    let switching = Delivery { scene.auth.switchUser(toUID: ada.uid, completion: $0) }
    await scene.store.waitUntilHeld(.write)
    let change = Delivery { bob.reload(completion: $0) }
    let closing = Delivery { scene.auth.close(completion: $0) }
    #expect(await switching.error?.code == .closed)
    try await change.value
    #expect(closing.count == 0, "the write is still held")
    scene.store.release(.write)
    try await closing.value
    #expect(try await scene.store.sessions().current?.profile.uid == bob.uid)
  }

  /// The refresh began before the switch; the store hangs in another user's sign-in.
  @Test(.endsIfItHangs)
  func `a refresh in flight does not outlast the end of its session`() async throws {
    let (scene, _, bob) = try await Self.pair()
    scene.backend.hold(.refresh)
    let token = Delivery { bob.getIDToken(forcingRefresh: true, completion: $0) }
    let next = Delivery { bob.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.backend.waitForCall(.refresh)
    try scene.auth.signOut()
    for error in await [token.error, next.error] { #expect(error?.code == .nullUser) }
    scene.backend.release(.refresh)
    try await scene.auth.flush()
  }
}
