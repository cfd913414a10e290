import Dispatch
import Gatehouse
import GatehouseQueues
import GatehouseTesting
import Glibc
import HangGuard
import IdentityToolkit
import TestSupport
import Testing

/// A sign-in looks behind each of its waits whether it was overtaken, and then asks for nothing more.
struct SignInGuardTests {
  private func expectSuperseded(
    _ signIn: Delivery<AuthDataResult>, at location: SourceLocation = #_sourceLocation
  ) async {
    let error = await #expect(throws: AuthError.self, sourceLocation: location) { try await signIn.value }
    #expect(error?.code == .superseded, sourceLocation: location)
  }

  /// Puts a sign-in of Ada's on the work queue before it returns.
  private func signIn(_ scene: Scene) -> Delivery<AuthDataResult> {
    Delivery { scene.auth.signIn(withEmail: Scene.email, password: Scene.password, completion: $0) }
  }

  /// In a process of its own: where other tests use the work queue, the turn may come between the two calls.
  @Test func `overtaken before its turn, it asks the provider for nothing`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let scene = Scene()
      try await scene.auth.ready()
      // The turn of the first one comes behind the second one's call.
      WorkQueue.executor.queue.suspend()
      let first = Delivery { scene.auth.signInAnonymously(completion: $0) }
      let second = Delivery { scene.auth.signIn(withEmail: Scene.email, password: Scene.password, completion: $0) }
      WorkQueue.executor.queue.resume()
      let error = await #expect(throws: AuthError.self) { try await first.value }
      #expect(error?.code == .superseded)
      _ = await second.result
      #expect(scene.backend.calls == [.signIn])
    }
  }

  @Test func `overtaken while the store's lock is taken, it asks the provider for nothing`() async throws {
    let backend = ScriptedBackend(), store = SlowLockStore()
    backend.rotatesRefreshTokens = true
    let scene = Scene(backend: backend) { $0.store = store }
    let first = signIn(scene)
    await store.gate.waitUntilReached()
    try scene.auth.signOut()
    store.gate.open()
    await expectSuperseded(first)
    #expect(backend.calls == [])
  }

  @Test func `overtaken while the session is restored, an anonymous one makes no account`() async throws {
    let scene = Scene()
    scene.store.hold(.load)
    let again = Scene(backend: scene.backend, store: scene.store, clocks: scene.clocks)
    let first = Delivery { again.auth.signInAnonymously(completion: $0) }
    await scene.store.waitUntilHeld(.load)
    try again.auth.signOut()
    scene.store.release(.load)
    await expectSuperseded(first)
    #expect(scene.backend.calls == [])
  }

  @Test func `overtaken while the session is restored, an anonymous one is not told of that session`() async throws {
    let before = Scene()
    let user = try await before.auth.signInAnonymously().user
    before.store.hold(.load)
    before.backend.hold(.signIn)
    let scene = Scene(backend: before.backend, store: before.store, clocks: before.clocks)
    let first = Delivery { scene.auth.signInAnonymously(completion: $0) }
    let second = signIn(scene)
    before.store.release(.load)
    await expectSuperseded(first)
    try await scene.auth.ready()  // the first one may have been told before it waited for the session
    #expect(scene.auth.currentUser?.uid == user.uid)
    before.backend.release(.signIn)
    _ = await second.result
  }

  @Test func `overtaken while its credentials are asked for, it looks up no account`() async throws {
    let (scene, _) = try await Scene.signedIn()
    scene.backend.hold(.signIn)
    let first = signIn(scene)
    await scene.backend.waitForCall(.signIn)
    try scene.auth.signOut()
    scene.backend.release(.signIn)
    await expectSuperseded(first)
    #expect(scene.backend.count(of: .lookup) == 1, "the sign-up's")
  }

  @Test func `overtaken while its account is looked up, it is told so, whatever the answer`() async throws {
    let scripted = ScriptedBackend()
    let mistaken = MistakenBackend(scripted)
    let bob = try await scripted.answer(SignUp(email: "bob@example.com", password: Secret("bob's horse")))
    let scene = Scene(backend: scripted) { $0.backend = mistaken }
    _ = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password)
    mistaken.mistake(.lookup, for: bob)
    scripted.hold(.lookup)
    let first = signIn(scene)
    await scripted.waitForCall(.lookup, count: 2)
    try scene.auth.signOut()
    scripted.release(.lookup)
    await expectSuperseded(first)
  }

  @Test func `overtaken while it waits for the store, it stores nothing`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.store.hold(.write)
    _ = try await user.getIDToken(forcingRefresh: true)
    await scene.store.waitUntilHeld(.write)
    let first = signIn(scene)
    await scene.backend.waitForCall(.lookup, count: 2)
    // It goes from the answer to the store's queue, which the test cannot observe: most likely it is there by now.
    for _ in 0..<500 {
      await Task.yield()
      _ = scene.auth.state
    }
    let calls = scene.store.calls
    try scene.auth.signOut()
    scene.store.release(.write)
    await expectSuperseded(first)
    try await scene.auth.flush()
    let signIns = scene.store.calls.dropFirst(calls.count).filter {
      if case .write(_?, if: .always) = $0 { true } else { false }
    }
    #expect(signIns.isEmpty)
  }
}

/// A store in memory that takes its lock when the gate is open.
final class SlowLockStore: CredentialStore {
  let gate = Gate()
  let memory = MemoryCredentialStore()

  func load() async throws(AuthError) -> StoredSession? { try await memory.load() }

  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    try await memory.write(session, if: condition)
  }

  func lock() async throws(AuthError) -> (any StoreLock)? {
    await gate.pass()
    return try await memory.lock()
  }
}
