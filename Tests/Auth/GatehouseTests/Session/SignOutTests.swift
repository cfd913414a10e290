import Gatehouse
import GatehouseTesting
import Testing

/// A sign-out says what became of the stored session: gone, or an error.
struct SignOutTests {
  private let full = AuthError(.storeFailed, "the disk is full")

  @Test func `a sign-out whose erasure fails twice is never reported as done`() async throws {
    for _ in 0..<300 {
      let (scene, _) = try await Scene.signedIn()
      scene.store.fail(.write, with: full, times: 2)
      try scene.auth.signOut()
      let error = await #expect(throws: AuthError.self) { try await scene.auth.flush() }
      #expect(error == full)
      #expect(try await scene.store.load() != nil)
      try await scene.auth.flush()
      #expect(try await scene.store.load() == nil)
    }
  }

  @Test func `a close tells that a sign-out could not be stored`() async throws {
    let (scene, _) = try await Scene.signedIn()
    scene.store.fail(.write, with: full, times: 2)
    try scene.auth.signOut()
    let error = await #expect(throws: AuthError.self) { try await scene.auth.close() }
    #expect(error == full)
  }

  @Test func `a flush tries again what failed, the sign-out of the user before included`() async throws {
    let (scene, _) = try await Scene.signedIn()
    scene.store.fail(.write, with: full, times: 3)
    try scene.auth.signOut()
    await #expect(throws: AuthError.self) { try await scene.auth.flush() }
    await #expect(throws: AuthError.self) { try await scene.auth.signInAnonymously() }
    try await scene.auth.flush()
    #expect(try await scene.store.load() == nil, "the erasure is still owed after a sign-in that was not stored")
  }

  @Test func `a sign-in that is undone does not bring back a session whose erasure failed`() async throws {
    let store = WatchfulStore()
    let scene = Scene { $0.store = store }
    _ = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password)
    store.refuse { call in
      if case .write(nil, _) = call { return AuthError(.storeFailed, "the disk is full") }
      return nil
    }
    try scene.auth.signOut()
    await #expect(throws: AuthError.self) { try await scene.auth.flush() }
    let gate = Gate()
    store.refuse { call in
      if case .write(_?, _) = call { await gate.pass() }
      return nil
    }
    let signIn = Task { try await scene.auth.signIn(withEmail: Scene.email, password: Scene.password) }
    await gate.waitUntilReached()
    signIn.cancel()
    await #expect(throws: AuthError.self) { try await signIn.value }
    gate.open()
    try await scene.auth.flush()
    #expect(try await store.load() == nil)
  }
}
