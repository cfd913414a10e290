import Gatehouse
import GatehouseTesting
import IdentityToolkit
import TestSupport
import Testing

struct TenantTests {
  @Test func `users sign in to the tenant that is set, and one address is two users`() async throws {
    let scene = Scene()
    let auth = scene.auth
    let own = try await auth.createUser(withEmail: Scene.email, password: Scene.password).user
    auth.tenantID = "north"
    #expect(auth.currentUser == own, "setting it leaves the user alone")
    let user = try await auth.createUser(withEmail: Scene.email, password: "another password").user
    #expect(user.tenantID == "north")
    #expect(user.uid != own.uid)
    auth.tenantID = nil
    #expect(try await auth.signIn(withEmail: Scene.email, password: Scene.password).user.uid == own.uid)
    auth.tenantID = "north"
    #expect(try await auth.signIn(withEmail: Scene.email, password: "another password").user.uid == user.uid)
  }

  @Test func `an empty tenant is none`() async throws {
    let scene = Scene { $0.tenantID = "" }
    #expect(scene.auth.tenantID == nil)
    scene.auth.tenantID = "north"
    scene.auth.tenantID = ""
    #expect(scene.auth.tenantID == nil)
    #expect(try await scene.auth.signInAnonymously().user.tenantID == nil)
  }

  @Test func `a sign-in goes on with the tenant that was set when it began`() async throws {
    let scene = Scene()
    let auth = scene.auth
    auth.tenantID = "north"
    scene.backend.hold(.signUp)
    async let waiting = auth.createUser(withEmail: Scene.email, password: Scene.password)
    await scene.backend.waitForCall(.signUp)
    auth.tenantID = "south"
    scene.backend.release(.signUp)
    #expect(try await waiting.user.tenantID == "north")
  }

  @Test func `a restored user's tenant is taken, unless another one is configured`() async throws {
    let store = MemoryCredentialStore()
    let backend = ScriptedBackend()
    func auth(_ tenantID: String? = nil) -> Auth {
      Auth(.init(backend: backend, store: store, clocks: ManualClocks(), logger: .silent, tenantID: tenantID))
    }
    let first = auth("north")
    _ = try await first.createUser(withEmail: Scene.email, password: Scene.password)
    try await first.close()
    let second = auth()
    try await second.ready()
    #expect(second.tenantID == "north")
    try second.signOut()
    #expect(second.tenantID == "north", "who signs in again signs in there")
    try await second.close()

    let third = auth("north")
    _ = try await third.signIn(withEmail: Scene.email, password: Scene.password)
    try await third.close()
    let fourth = auth("south")
    try await fourth.ready()
    #expect(fourth.tenantID == "south")
    #expect(fourth.currentUser == nil)
    let fifth = auth()
    fifth.tenantID = nil
    try await fifth.ready()
    #expect(fifth.tenantID == nil, "no tenant is a choice as well")
  }

  @Test func `a user of another tenant is not moved here`() async throws {
    let (one, other) = (Scene(), Scene())
    one.auth.tenantID = "north"
    let user = try await one.auth.createUser(withEmail: Scene.email, password: Scene.password).user
    let moved = Auth(.init(backend: one.backend, clocks: ManualClocks(), logger: .silent))
    let error = await #expect(throws: AuthError.self) { try await moved.updateCurrentUser(user) }
    #expect(error?.code == .tenantIDMismatch)
    #expect(moved.currentUser == nil)
    moved.tenantID = "north"
    try await moved.updateCurrentUser(user)
    #expect(moved.currentUser?.uid == user.uid)
    _ = other
  }

  @Test func `an anonymous user of another tenant does not stay`() async throws {
    let scene = Scene()
    let first = try await scene.auth.signInAnonymously().user
    #expect(try await scene.auth.signInAnonymously().user == first)
    scene.auth.tenantID = "north"
    let second = try await scene.auth.signInAnonymously().user
    #expect(second.uid != first.uid)
    #expect(second.tenantID == "north")
  }

  @Test func `an anonymous sign-in joins none of another tenant`() async throws {
    let scene = Scene()
    scene.backend.hold(.signUp)
    let first = Delivery { scene.auth.signInAnonymously(completion: $0) }
    await scene.backend.waitForCall(.signUp)
    scene.auth.tenantID = "north"
    let second = Delivery { scene.auth.signInAnonymously(completion: $0) }
    scene.auth.refreshesAutomatically = false  // comes after the call before it
    scene.backend.release(.signUp)
    #expect(try await second.value.user.tenantID == "north")
    let error = await #expect(throws: AuthError.self) { try await first.value }
    #expect(error?.code == .superseded)
  }

  @Test func `a backend that knows no tenants signs no user of the project in`() async throws {
    let backend = DeafBackend()
    let auth = Auth(.init(backend: backend, clocks: ManualClocks(), logger: .silent, tenantID: "north"))
    let error = await #expect(throws: AuthError.self) {
      try await auth.createUser(withEmail: Scene.email, password: Scene.password)
    }
    #expect(error?.code == .tenantIDMismatch)
    #expect(auth.currentUser == nil)
  }

  @Test func `calls without a user are about the tenant that is set`() async throws {
    let scene = Scene()
    scene.auth.tenantID = "north"
    _ = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password)
    try await scene.auth.sendPasswordReset(withEmail: Scene.email)
    #expect(scene.backend.messages.last?.call.tenantId == "north")
    scene.auth.tenantID = nil
    let error = await #expect(throws: AuthError.self) {
      try await scene.auth.sendPasswordReset(withEmail: Scene.email)
    }
    #expect(error?.code == .userNotFound)
  }
}

/// Leaves out what it is told of tenants.
private final class DeafBackend: Backend {
  let scripted = ScriptedBackend()

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    guard var named = call as? any TenantCall else { return try await scripted.answer(call) }
    named.tenantId = nil
    return try await scripted.answer(named as? C ?? call)
  }
}
