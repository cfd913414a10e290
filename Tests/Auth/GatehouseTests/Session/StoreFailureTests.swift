import Gatehouse
import GatehouseTesting
import TestSupport
import Testing

struct StoreFailureTests {
  private let unreadable = AuthError(.storeUnreadable, "permission denied")
  private let full = AuthError(.storeFailed, "the disk is full")

  @Test func `a store that cannot be read is an error and never signed out`() async throws {
    let (before, user) = try await Scene.signedIn()
    let (scene, error) = await before.reopened(failing: unreadable)
    #expect(error == unreadable)
    #expect(scene.auth.state == .unavailable(unreadable))
    #expect(throws: AuthError.self) { try scene.auth.signOut() }
    try await scene.auth.ready()
    #expect(scene.auth.currentUser?.uid == user.uid, "nothing was deleted")
  }

  @Test func `a damaged session can be signed out`() async throws {
    let (before, _) = try await Scene.signedIn()
    let (scene, error) = await before.reopened(failing: AuthError(.storeDamaged, "it is cut short"))
    #expect(error?.code == .storeDamaged)
    try scene.auth.signOut()
    #expect(scene.auth.state == .signedOut(nil))
    try await scene.auth.flush()
    #expect(try await scene.store.load() == nil)
  }

  @Test func `listeners are not told that nobody is signed in when nobody knows`() async throws {
    let (before, _) = try await Scene.signedIn()
    let heard = Heard()
    let (scene, error) = await before.reopened(failing: unreadable) { auth in
      auth.addStateDidChangeListener { heard.note($1) }
    }
    #expect(error == unreadable)
    try await scene.auth.ready()
    await heard.wait(for: 1)
    #expect(heard.uids == [scene.auth.currentUser?.uid])
  }

  @Test func `every completion comes exactly once when the store fails`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.store.fail(.write, with: full, times: 100)
    let request = user.createProfileChangeRequest()
    request.displayName = "Ada"
    let changed = Delivery { request.commitChanges(completion: $0) }
    let password = Delivery { user.updatePassword(to: "battery staple", completion: $0) }
    let token = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    let signIn = Delivery { scene.auth.signIn(withEmail: Scene.email, password: "battery staple", completion: $0) }
    let flush = Delivery { scene.auth.flush(completion: $0) }
    try await changed.value
    let refused = await #expect(throws: AuthError.self) { try await password.value }
    #expect(refused == full, "its tokens could not be stored: it is not sent")
    _ = try? await token.value
    await #expect(throws: AuthError.self) { try await signIn.value }
    _ = try? await flush.value
    let close = Delivery { scene.auth.close(completion: $0) }
    await #expect(throws: AuthError.self) { try await close.value }
    let late = Delivery { scene.auth.signInAnonymously(completion: $0) }
    await #expect(throws: AuthError.self) { try await late.value }
    #expect([changed.count, password.count, flush.count, close.count] == [1, 1, 1, 1])
    #expect([token.count, signIn.count, late.count] == [1, 1, 1])
  }

  @Test func `a sign-out whose erasure fails is signed out in memory, and flush mends it`() async throws {
    let (scene, _) = try await Scene.signedIn()
    scene.store.fail(.write, with: full)
    try scene.auth.signOut()
    #expect(scene.auth.currentUser == nil)
    try await scene.auth.flush()
    #expect(try await scene.store.load() == nil)
  }

  @Test func `a store that hangs does not hold up memory, sign-out or tokens`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.store.hold(.write)
    let token = try await user.getIDToken(forcingRefresh: true)
    #expect(!token.isEmpty)
    try scene.auth.signOut()
    #expect(scene.auth.currentUser == nil)
    let flush = Task { try await scene.auth.flush(timeout: .seconds(3)) }
    await scene.clocks.waitForSleeper(of: 3)
    scene.clocks.advance(by: 3)
    let error = await #expect(throws: AuthError.self) { try await flush.value }
    #expect(error?.code == .deadlineExceeded)
    scene.store.release(.write)
    try await scene.auth.flush()
    #expect(try await scene.store.load() == nil)
  }

  @Test func `a sign-out while the session is restored erases what is stored`() async throws {
    let (before, _) = try await Scene.signedIn()
    before.store.hold(.load)
    let scene = Scene(backend: before.backend, store: before.store, clocks: before.clocks)
    try scene.auth.signOut()
    before.store.release(.load)
    try await scene.auth.flush()
    #expect(scene.auth.state == .signedOut(nil))
    #expect(try await before.store.load() == nil)
  }

  @Test func `closing stores what is to be stored and ends what is in flight`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.hold(.signIn)
    let signIn = Delivery {
      scene.auth.signIn(withEmail: Scene.email, password: Scene.password, completion: $0)
    }
    await scene.backend.waitForCall(.signIn)
    let token = try await user.getIDToken(forcingRefresh: true)
    try await scene.auth.close()
    let error = await #expect(throws: AuthError.self) { try await signIn.value }
    #expect(error?.code == .closed)
    #expect(scene.auth.state == .closed)
    #expect(try await scene.store.load()?.tokens.idToken.revealed == token)
    await #expect(throws: AuthError.self) { try await user.getIDToken() }
    #expect(throws: AuthError.self) { try scene.auth.signOut() }
    scene.backend.release(.signIn)
  }

  @Test func `closing waits for a refresh that was sent, and stores its token`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.hold(.refresh)
    let token = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.backend.waitForCall(.refresh)
    let close = Delivery { scene.auth.close(completion: $0) }
    for _ in 0..<200 {
      await Task.yield()
      _ = scene.auth.state
    }
    #expect(close.count == 0)
    scene.backend.release(.refresh)
    try await close.value
    let fresh = try await token.value
    #expect(try await scene.store.load()?.tokens.idToken.revealed == fresh)
  }
}
