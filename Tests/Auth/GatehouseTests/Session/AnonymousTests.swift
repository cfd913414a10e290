import Gatehouse
import GatehouseQueues
import GatehouseTesting
import TestSupport
import Testing

/// Anonymous sign-ins at once share one call and one account.
struct AnonymousTests {
  @Test func `five anonymous sign-ins at once make one account`() async throws {
    let scene = Scene()
    scene.backend.hold(.signUp)
    let five = (0..<5).map { _ in Delivery { scene.auth.signInAnonymously(completion: $0) } }
    await scene.backend.waitForCall(.signUp)
    _ = scene.auth.state
    scene.backend.release(.signUp)
    var users: Set<User> = []
    for sign in five { users.insert(try await sign.value.user) }
    #expect(users == [scene.auth.currentUser])
    #expect(scene.backend.count(of: .signUp) == 1)
  }

  @Test func `one of them that is cancelled leaves the others`() async throws {
    let scene = Scene()
    scene.backend.hold(.signUp)
    let first = Task { try await scene.auth.signInAnonymously() }
    await scene.backend.waitForCall(.signUp)
    let second = Delivery { scene.auth.signInAnonymously(completion: $0) }
    _ = scene.auth.state
    first.cancel()
    let error = await #expect(throws: AuthError.self) { try await first.value }
    #expect(error?.code == .cancelled)
    scene.backend.release(.signUp)
    #expect(try await second.value.user == scene.auth.currentUser)
    #expect(scene.backend.count(of: .signUp) == 1)
  }

  @Test func `when all of them are cancelled nothing is signed in`() async throws {
    let scene = Scene()
    scene.backend.hold(.signUp)
    let both = (0..<2).map { _ in Task { try await scene.auth.signInAnonymously() } }
    await scene.backend.waitForCall(.signUp)
    for one in both { one.cancel() }
    for one in both { _ = await one.result }
    scene.backend.release(.signUp)
    try await scene.auth.flush()
    #expect(scene.auth.currentUser == nil)
    #expect(try await scene.store.load() == nil)
  }

  @Test func `one that comes after a sign-out makes an account of its own`() async throws {
    let scene = Scene()
    scene.backend.hold(.signUp)
    let first = Delivery { scene.auth.signInAnonymously(completion: $0) }
    await scene.backend.waitForCall(.signUp)
    try scene.auth.signOut()
    let second = Delivery { scene.auth.signInAnonymously(completion: $0) }
    await scene.backend.waitForCall(.signUp, count: 2)
    scene.backend.release(.signUp)
    let error = await #expect(throws: AuthError.self) { try await first.value }
    #expect(error?.code == .superseded)
    #expect(try await second.value.user == scene.auth.currentUser)
  }
}
