import Gatehouse
import GatehouseQueues
import GatehouseTesting
import Testing

/// Rule 7 for the way back: the caller's code does not go on on the work queue.
struct ReturnTests {
  @Test func `after a call, refused or not, the caller is not on the work queue`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let auth = scene.auth
    let refused = AuthError(.networkError, "no route")
    scene.backend.fail(.signIn, refused)
    scene.backend.fail(.refresh, refused)
    scene.backend.fail(.update, refused)
    scene.backend.fail(.lookup, refused)
    await Self.expectOff("reload") { try await user.reload() }
    await Self.expectOff("getIDToken") { _ = try await user.getIDToken(forcingRefresh: true) }
    await Self.expectOff("updatePassword") { try await user.updatePassword(to: "x") }
    await Self.expectOff("commitChanges") { try await user.createProfileChangeRequest().commitChanges() }
    await Self.expectOff("signIn") { _ = try await auth.signIn(withEmail: Scene.email, password: Scene.password) }
    await Self.expectOff("signIn again") { _ = try await auth.signIn(withEmail: Scene.email, password: Scene.password) }
    await Self.expectOff("delete of an ended session") { try await user.delete() }
    await Self.expectOff("close") { try await auth.close() }
    await Self.expectOff("flush") { try await auth.flush() }
    await Self.expectOff("ready") { try await auth.ready() }
    await Self.expectOff("signInAnonymously") { _ = try await auth.signInAnonymously() }
    await Self.expectOff("createUser") { _ = try await auth.createUser(withEmail: "b@example.com", password: "secret") }
  }

  private static func expectOff(_ call: String, _ body: () async throws -> Void) async {
    _ = try? await body()
    #expect(!WorkQueue.executor.isCurrent, "after \(call)")
  }
}
