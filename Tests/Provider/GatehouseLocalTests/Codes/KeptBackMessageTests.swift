import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// A message that enumeration protection keeps back is made like one that is sent, so that its answer takes as long:
/// the same codes are stored, with values of the same lengths.
struct KeptBackMessageTests {
  @Test(arguments: [
    (ActionCodeType.passwordReset, "bob@example.com", "cyd@example.com"),
    (.passwordReset, "bob@example.com", "eve@example.com"),
    (.verifyAndChangeEmail, "dan@example.com", "bob@example.com"),
    (.emailSignIn, "bob@example.com", "eve@example.com"),
  ])
  func `a message that is kept back stores what a message that is sent stores`(
    type: ActionCodeType, sent: String, kept: String
  ) async throws {
    let (scene, outbox) = Scene.sending { $0.enumerationProtection = true }
    let user = try await scene.signUp("ada@example.com")
    // An address that is not verified could be moved to another account.
    var verified = UpdateAccount(localId: try await scene.signUp("bob@example.com").localId)
    verified.emailVerified = true
    _ = try await scene.backend.answer(verified)
    try await scene.signUp("eve@example.com")
    _ = try await scene.backend.setDisabled(AccountName("eve@example.com"), true)
    func stored(by email: String) async throws -> [[String?]] {
      try scene.execute("DELETE FROM actionCode")
      try await scene.send(type) {
        switch type {
        case .verifyAndChangeEmail: ($0.idToken, $0.newEmail) = (user.idToken, email)
        case .emailSignIn: ($0.email, $0.continueUrl) = (email, "http://localhost")
        default: $0.email = email
        }
      }
      return try scene.rows(
        """
        SELECT type, length(hash), length(email), coalesce(length(newEmail), 0), expires, tenant FROM actionCode
        ORDER BY type
        """)
    }
    let one = try await stored(by: kept)
    #expect(!one.isEmpty)
    #expect(try await stored(by: sent) == one)
    try await scene.backend.close()  // waits for deliveries
    #expect(outbox.messages.map(\.recipient) == [sent])
  }
}
