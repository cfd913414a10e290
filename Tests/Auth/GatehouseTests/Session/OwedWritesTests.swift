import Gatehouse
import GatehouseTesting
import HangGuard
import Testing

/// Changes that a store could not write are owed, and carried out before anything else.
@Suite(.endsIfItHangs) struct OwedWritesTests {
  private static let full = AuthError(.storeFailed, "the disk is full")
  private static let bobsEmail = "bob@example.com"

  /// Ada has signed up with a store that keeps users.
  private static func scene() async throws -> (scene: Scene, ada: User) {
    let scene = Scene(store: FaultyStore(MemoryCredentialStore(keepsUsers: true)))
    return (scene, try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password).user)
  }

  // MARK: Sign-outs

  @Test func `who has signed out is not set aside, when the erasure failed and another user signs in`() async throws {
    let (scene, ada) = try await Self.scene()
    scene.store.fail(.write, with: Self.full)
    try scene.auth.signOut()
    let bob = try await scene.auth.createUser(withEmail: Self.bobsEmail, password: Scene.password).user
    try await scene.auth.flush()
    #expect(try await scene.auth.savedUsers().map(\.uid) == [bob.uid])
    let error = await #expect(throws: AuthError.self) { try await scene.auth.switchUser(toUID: ada.uid) }
    #expect(error?.code == .userNotFound)
  }

  @Test func `while an erasure is owed a sign-in, flush and close say so`() async throws {
    let (scene, _) = try await Self.scene()
    scene.store.fail(.write, with: Self.full, times: 100)
    try scene.auth.signOut()
    let signIn = await #expect(throws: AuthError.self) {
      try await scene.auth.createUser(withEmail: Self.bobsEmail, password: Scene.password)
    }
    let flush = await #expect(throws: AuthError.self) { try await scene.auth.flush() }
    let close = await #expect(throws: AuthError.self) { try await scene.auth.close() }
    #expect([signIn, flush, close] == [Self.full, Self.full, Self.full])
  }

  @Test func `an older session of the user who signs out does not stay behind`() async throws {
    let (scene, ada) = try await Self.scene()
    let bob = try await scene.auth.createUser(withEmail: Self.bobsEmail, password: Scene.password).user
    _ = try await scene.auth.signIn(withEmail: Scene.email, password: Scene.password)
    try scene.auth.signOut()
    try await scene.auth.flush()
    #expect(try await scene.auth.savedUsers().map(\.uid) == [bob.uid], "and not \(ada.uid)")
  }

  // MARK: Changes

  @Test(arguments: [1, 2, 3])
  func `a rotated token that is owed is stored before another user signs in`(failures: Int) async throws {
    let backend = RotatingBackend(), store = FaultyStore(MemoryCredentialStore(keepsUsers: true))
    let auth = Auth(.forTests(backend, store, ManualClocks()))
    let ada = try await auth.createUser(withEmail: Scene.email, password: Scene.password).user
    backend.scripted.onCall { kind in
      if kind == .refresh { store.fail(.write, with: Self.full, times: failures) }
    }
    _ = try await ada.getIDToken(forcingRefresh: true)
    backend.scripted.onCall(nil)
    do { _ = try await auth.createUser(withEmail: Self.bobsEmail, password: Scene.password) } catch {
      #expect(error as? AuthError == Self.full && auth.currentUser == ada)
    }
    let back = try await auth.switchUser(toUID: ada.uid)
    _ = try await back.getIDToken(forcingRefresh: true)
    #expect(!backend.wasSpentTwice)
  }

  @Test(arguments: [1, 2, 3])
  func `a new password whose tokens are owed ends no session that is set aside`(failures: Int) async throws {
    let (scene, ada) = try await Self.scene()
    scene.backend.onCall { [store = scene.store] kind in
      if kind == .update { store.fail(.write, with: Self.full, times: failures) }
    }
    try await ada.updatePassword(to: "battery staple")
    scene.backend.onCall(nil)
    do { _ = try await scene.auth.createUser(withEmail: Self.bobsEmail, password: Scene.password) } catch {
      #expect(error as? AuthError == Self.full && scene.auth.currentUser == ada)
    }
    let back = try await scene.auth.switchUser(toUID: ada.uid)
    _ = try await back.getIDToken(forcingRefresh: true)
  }

  // MARK: Tenants

  @Test func `an Auth of one tenant neither restores nor switches to a user of another`() async throws {
    let backend = ScriptedBackend(), store = MemoryCredentialStore(keepsUsers: true)
    func auth(_ tenantID: String) -> Auth {
      Auth(.init(backend: backend, store: store, clocks: ManualClocks(), logger: .silent, tenantID: tenantID))
    }
    let red = auth("red")
    let ada = try await red.createUser(withEmail: Scene.email, password: Scene.password).user
    try await red.close()
    let blue = auth("blue")
    try await blue.ready()
    #expect(blue.currentUser == nil)
    guard case .signedOut(let reason) = blue.state else {
      Issue.record("the state is \(blue.state)")
      return
    }
    #expect(reason?.code == .tenantIDMismatch)
    let bob = try await blue.createUser(withEmail: Self.bobsEmail, password: Scene.password).user
    let error = await #expect(throws: AuthError.self) { try await blue.switchUser(toUID: ada.uid) }
    #expect(error?.code == .tenantIDMismatch && blue.currentUser == bob)
    try await blue.close()
    let again = auth("red")
    try await again.ready()
    #expect(again.currentUser == nil)
    #expect(try await again.switchUser(toUID: ada.uid).uid == ada.uid, "the other tenant's session was kept")
  }
}
