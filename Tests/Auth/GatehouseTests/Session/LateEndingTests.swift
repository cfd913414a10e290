import Gatehouse
import GatehouseTesting
import IdentityToolkit
import TestSupport
import Testing

/// What ends a session, and comes when that session is not the current one any more, changes nothing.
struct LateEndingTests {
  @Test func `a deletion that is answered after another user has signed in leaves them signed in`() async throws {
    let scene = Scene()
    _ = try await scene.auth.createUser(withEmail: "bob@example.com", password: Scene.password)
    let ada = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password).user
    scene.backend.hold(.delete)
    let deletion = Delivery { ada.delete(completion: $0) }
    await scene.backend.waitForCall(.delete)
    let bob = try await scene.auth.signIn(withEmail: "bob@example.com", password: Scene.password).user
    scene.backend.release(.delete)
    _ = await deletion.result
    try await scene.auth.flush()
    #expect(scene.auth.currentUser == bob)
    #expect(try await scene.store.load()?.profile.uid == bob.uid)
  }

  @Test func `an erasure that ends after a sign-out does not give the provider's refusal as the reason`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.change(user.uid) { $0.disabled = true }
    scene.store.hold(.write)
    let token = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.store.waitUntilHeld(.write)
    try scene.auth.signOut()
    scene.store.release(.write)
    _ = await token.result
    try await scene.auth.flush()
    #expect(scene.auth.state == .signedOut(nil))
  }

  @Test func `a look into the store that ends after a sign-out does not tell of another process`() async throws {
    let memory = MemoryCredentialStore()
    let scene = Scene(store: FaultyStore(memory))
    let user = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password).user
    scene.store.hold(.load)
    let token = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.store.waitUntilHeld(.load)
    try scene.auth.signOut()
    _ = try await memory.write(nil, if: .always)
    scene.store.release(.load)
    _ = await token.result
    try await scene.auth.flush()
    #expect(scene.auth.state == .signedOut(nil))
  }
}
