import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import IdentityToolkit
import Testing

/// Calls on a user whose session has ended say why it ended, as the comment on `User` promises.
struct EndedUserTests {
  @Test func `after a sign-out and after a deletion there is no user`() async throws {
    let (scene, user) = try await Scene.signedIn()
    try scene.auth.signOut()
    try await Self.expect(.nullUser, of: user)
    let again = try await scene.auth.signIn(withEmail: Scene.email, password: Scene.password).user
    try await again.delete()
    try await Self.expect(.nullUser, of: again)
  }

  @Test func `after another sign-in, here or in another program, the session has ended`() async throws {
    let pair = try await Pair(keepingBack: Update.self)
    _ = try await pair.one.auth.createUser(withEmail: "bob@example.com", password: Scene.password)
    try await Self.expect(.sessionEnded, of: pair.ada)
    _ = await outcome { () throws(AuthError) in
      try await typed { try await pair.adaThere.getIDToken(forcingRefresh: true) }
    }
    try await Self.expect(.sessionEnded, of: pair.adaThere)
  }

  @Test func `after the provider's refusal its reason is told`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.change(user.uid) { $0.disabled = true }
    _ = await outcome { () throws(AuthError) in try await typed { try await user.getIDToken(forcingRefresh: true) } }
    try await Self.expect(.userDisabled, of: user)
  }

  @Test func `after the end of its Auth it is closed`() async throws {
    let (scene, user) = try await Scene.signedIn()
    try await scene.auth.close()
    try await Self.expect(.closed, of: user)
  }

  /// Every kind of call.
  private static func expect(_ code: AuthError.Code, of user: User) async throws {
    let renaming = user.createProfileChangeRequest()
    renaming.displayName = "Ada"
    let credential = EmailAuthProvider.credential(withEmail: Scene.email, password: Scene.password)
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await user.getIDToken() },
      { _ = try await user.getIDToken(forcingRefresh: true) },
      { try await user.reload() },
      { try await renaming.commitChanges() },
      { try await user.updatePassword(to: "battery staple") },
      { _ = try await user.link(with: credential) },
      { try await user.delete() },
    ]
    for (number, call) in calls.enumerated() {
      let error = await #expect(throws: AuthError.self) { try await call() }
      #expect(error?.code == code, "call \(number)")
    }
  }
}
