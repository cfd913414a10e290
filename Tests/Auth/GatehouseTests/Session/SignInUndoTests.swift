import Gatehouse
import GatehouseTesting
import TestSupport
import Testing

/// A sign-in that is over before it was done leaves memory and store as they were.
struct SignInUndoTests {
  private static let second = "bob@example.com"

  /// Ada is signed in, Bob has an account, and a sign-in of Bob's is in the store's queue.
  private func scene() async throws -> (scene: Scene, ada: User, bob: Task<AuthDataResult, any Error>) {
    let scene = Scene()
    _ = try await scene.auth.createUser(withEmail: Self.second, password: Scene.password)
    let ada = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password).user
    try await scene.auth.flush()
    scene.clocks.advance(by: 1)  // a deadline of an earlier call that has not gone yet is none of 30 s now
    scene.store.hold(.write)
    let bob = Task { try await scene.auth.signIn(withEmail: Self.second, password: Scene.password) }
    await scene.store.waitUntilHeld(.write)
    return (scene, ada, bob)
  }

  private func expectAda(_ scene: Scene, _ ada: User) async throws {
    scene.store.release(.write)
    try await scene.auth.flush()
    #expect(scene.auth.currentUser == ada)
    #expect(try await scene.store.load()?.profile.email == Scene.email)
    #expect(try await ada.getIDToken(forcingRefresh: true).isEmpty == false)
    try await scene.auth.flush()
    #expect(scene.auth.currentUser == ada, "her next refresh does not meet Bob in the store")
  }

  @Test func `a sign-in that is cancelled while it is being stored is undone`() async throws {
    let (scene, ada, bob) = try await scene()
    bob.cancel()
    await #expect(throws: AuthError.self) { try await bob.value }
    try await expectAda(scene, ada)
  }

  @Test func `a sign-in that meets its timeout while it is being stored is undone`() async throws {
    let (scene, ada, bob) = try await scene()
    await scene.clocks.waitForSleeper(of: 30)
    scene.clocks.advance(by: 30)
    await #expect(throws: AuthError.self) { try await bob.value }
    try await expectAda(scene, ada)
  }

  @Test func `a sign-in that another one overtakes while it is being stored is undone, if that one fails`() async throws
  {
    let (scene, ada, bob) = try await scene()
    let wrong = await #expect(throws: AuthError.self) {
      try await scene.auth.signIn(withEmail: Scene.email, password: "wrong")
    }
    #expect(wrong?.code == .wrongPassword)
    scene.store.release(.write)
    let error = await #expect(throws: AuthError.self) { try await bob.value }
    #expect(error?.code == .superseded)
    try await expectAda(scene, ada)
  }

  @Test func `close waits for the undoing of a sign-in`() async throws {
    let (scene, _, bob) = try await scene()
    let close = Delivery { scene.auth.close(completion: $0) }
    await #expect(throws: AuthError.self) { try await bob.value }
    scene.store.release(.write)
    try await close.value
    #expect(try await scene.store.load()?.profile.email == Scene.email)
  }

  @Test func `a sign-in from a task that was cancelled before never happens`() async throws {
    let (scene, ada) = try await Scene.signedIn()
    let calls = scene.backend.calls.count
    let signIn = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await scene.auth.signIn(withEmail: Scene.email, password: Scene.password)
    }
    signIn.cancel()
    await #expect(throws: AuthError.self) { try await signIn.value }
    try await scene.auth.flush()
    #expect(scene.auth.currentUser == ada && scene.backend.calls.count == calls)
  }

  @Test func `an anonymous sign-in waits for the stored session and keeps it`() async throws {
    let before = Scene()
    let user = try await before.auth.signInAnonymously().user
    before.store.hold(.load)
    let scene = Scene(backend: before.backend, store: before.store, clocks: before.clocks)
    let again = Delivery { scene.auth.signInAnonymously(completion: $0) }
    before.store.release(.load)
    #expect(try await again.value.user.uid == user.uid)
    #expect(scene.backend.count(of: .signUp) == 1)
  }

  @Test func `an anonymous sign-in does not replace a session that cannot be read`() async throws {
    let (before, ada) = try await Scene.signedIn()
    before.store.fail(.load, with: AuthError(.storeUnreadable, "permission denied"))
    let scene = Scene(backend: before.backend, store: before.store, clocks: before.clocks)
    let error = await #expect(throws: AuthError.self) { try await scene.auth.signInAnonymously() }
    #expect(error?.code == .storeUnreadable)
    #expect(try await scene.store.load()?.profile.uid == ada.uid)
  }

  @Test func `a cancelled sign-in whose undoing fails ends nobody's session and does not come back`() async throws {
    let store = WatchfulStore()
    let scene = Scene { $0.store = store }
    _ = try await scene.auth.createUser(withEmail: Self.second, password: Scene.password)
    let ada = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password).user
    try await scene.auth.flush()
    let gate = Gate()
    store.refuse { call in
      guard case .write(let session, _) = call else { return nil }
      if session?.profile.email == Self.second { await gate.pass() }
      return session?.profile.email == Scene.email ? AuthError(.storeFailed, "the disk is full") : nil
    }
    let bob = Task { try await scene.auth.signIn(withEmail: Self.second, password: Scene.password) }
    await gate.waitUntilReached()
    bob.cancel()
    await #expect(throws: AuthError.self) { try await bob.value }
    gate.open()
    let error = await #expect(throws: AuthError.self) { try await scene.auth.flush() }
    #expect(error?.code == .storeFailed, "the undoing is owed")
    _ = try await ada.getIDToken(forcingRefresh: true)
    _ = try? await scene.auth.flush()
    #expect(scene.auth.currentUser == ada, "her refresh does not take Bob for another process's")
    store.refuse(nil)
    try await scene.auth.flush()
    #expect(try await store.load()?.tokens.idToken.revealed == ada.getIDToken())
    let next = Scene(backend: scene.backend, clocks: scene.clocks) { $0.store = store }
    try await next.auth.ready()
    #expect(next.auth.currentUser?.uid == ada.uid)
  }
}
