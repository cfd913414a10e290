import Gatehouse
import GatehouseTesting
import IdentityToolkit
import Testing

/// A backend that rotates refresh tokens: one `Auth` at a time has the store.
@Suite struct StoreLockTests {
  /// Ada has signed up in an `Auth` that has the store, at a provider that rotates.
  private func scene() async throws -> (scene: Scene, memory: MemoryCredentialStore) {
    let backend = ScriptedBackend(), memory = MemoryCredentialStore()
    backend.rotatesRefreshTokens = true
    let scene = Scene(backend: backend, store: FaultyStore(memory))
    _ = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password)
    return (scene, memory)
  }

  @Test func `a second Auth on the store is told that it is in use, and changes nothing`() async throws {
    let (first, memory) = try await scene()
    let second = Scene(backend: first.backend, store: FaultyStore(memory), clocks: first.clocks)
    let early = await #expect(throws: AuthError.self) { try await second.auth.signInAnonymously() }
    #expect(early?.code == .storeInUse)
    let error = await #expect(throws: AuthError.self) { try await second.auth.ready() }
    #expect(error?.code == .storeInUse)
    #expect(second.auth.currentUser == nil)
    guard case .unavailable(let reason) = second.auth.state else {
      Issue.record("the state is \(second.auth.state)")
      return
    }
    #expect(reason.code == .storeInUse)
    let signIn = await #expect(throws: AuthError.self) {
      try await second.auth.createUser(withEmail: "bob@example.com", password: Scene.password)
    }
    #expect(signIn?.code == .storeInUse)
    #expect(first.backend.count(of: .signUp) == 1, "no account is made whose session could not be stored")
    #expect(throws: AuthError.self) { try second.auth.signOut() }
    try await first.auth.flush()
    #expect(try await memory.load()?.profile.email == Scene.email)
    #expect(try await first.auth.currentUser?.getIDToken(forcingRefresh: true).isEmpty == false)
  }

  @Test func `when the first is closed, ready() of the second has the store and its session`() async throws {
    let (first, memory) = try await scene()
    let second = Scene(backend: first.backend, store: FaultyStore(memory), clocks: first.clocks)
    await #expect(throws: AuthError.self) { try await second.auth.ready() }
    first.store.hold(.write)
    let token = try await first.auth.currentUser?.getIDToken(forcingRefresh: true)
    let close = Delivery { first.auth.close(completion: $0) }
    await first.store.waitUntilHeld(.write)
    await #expect(throws: AuthError.self) { try await second.auth.ready() }
    first.store.release(.write)
    try await close.value
    try await second.auth.ready()
    #expect(try await second.auth.currentUser?.getIDToken() == token, "it was stored before the store was given back")
  }

  @Test func `an Auth that is let go of gives the store back`() async throws {
    let backend = ScriptedBackend(), memory = MemoryCredentialStore()
    backend.rotatesRefreshTokens = true
    do {
      let scene = Scene(backend: backend, store: FaultyStore(memory))
      _ = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password)
    }
    let second = Scene(backend: backend, store: FaultyStore(memory))
    while second.auth.currentUser == nil { try? await second.auth.ready() }
    #expect(second.auth.currentUser?.email == Scene.email)
  }

  @Test func `a store that has no lock is refused, with advice`() async throws {
    let backend = ScriptedBackend()
    backend.rotatesRefreshTokens = true
    let scene = Scene(backend: backend) { $0.store = WatchfulStore() }
    let error = await #expect(throws: AuthError.self) { try await scene.auth.ready() }
    #expect(error?.code == .invalidArgument && error?.message.contains("FileCredentialStore") == true)
    await #expect(throws: AuthError.self) { try await scene.auth.signInAnonymously() }
    #expect(scene.backend.calls == [])
  }

  @Test func `a callback-style backend says whether it rotates`() {
    struct Rotating: CallbackBackend {
      var rotatesRefreshTokens: Bool { true }
      func answer<C: Call>(_ call: C, completion: @escaping @Sendable (Result<C.Response, AuthError>) -> Void) {
        completion(.failure(.unsupported(C.self)))
      }
    }
    #expect(Rotating().adapted.rotatesRefreshTokens)
    #expect(!ScriptedBackend().rotatesRefreshTokens)
  }
}
