import Gatehouse
import GatehouseBase
import GatehouseLocal

extension TourStop {
  static let email = "ada@example.com"
  static let newPassword = "another horse battery"

  static let passwordReset = TourStop("A password reset ends every session, and its link is good once") {
    stage, evidence in
    let old = "correct horse battery"
    let session = try await stage.auth.signIn(withEmail: email, password: old).user
    // A request for an unknown address gets the same answer, and no message is sent.
    try await stage.auth.sendPasswordReset(withEmail: "eve@example.com")
    try await stage.auth.sendPasswordReset(withEmail: email)
    let message = try await stage.awaiting("the message with the link") { try await stage.outbox.next() }
    let code = ActionCodeURL(link: message.link.revealed)?.code ?? ""

    let begin = ContinuousClock.now
    try await stage.auth.confirmPasswordReset(withCode: code, newPassword: newPassword)
    let time = ContinuousClock.now - begin
    let again = await refusal { () throws(AuthError) in
      try await typed { try await stage.auth.confirmPasswordReset(withCode: code, newPassword: old) }
    }
    let refreshed = await refusal { () throws(AuthError) in
      _ = try await typed { try await session.getIDToken(forcingRefresh: true) }
    }
    let oldPassword = await refusal { () throws(AuthError) in
      _ = try await typed { try await stage.auth.signIn(withEmail: email, password: old) }
    }
    let user = try await stage.auth.signIn(withEmail: email, password: newPassword).user
    try await user.reload()

    evidence.expect("the recipient", message.recipient, is: email)
    evidence.expect("the link once more", again?.code, is: .invalidActionCode)
    evidence.expect("a refresh of the session", refreshed?.code, is: .userTokenExpired)
    evidence.expect("the old password", oldPassword?.code, is: .invalidCredential)
    evidence.expect("the address is verified", user.profile.isEmailVerified, is: true)
    evidence.note =
      "reset in \(time.short); the link again → \(name(again)), the session → \(name(refreshed)), "
      + "the old password → \(name(oldPassword))"
  }

  /// Returns the reason for which a call is refused; `nil` if it succeeds.
  static func refusal(_ call: () async throws(AuthError) -> Void) async -> AuthError? {
    do throws(AuthError) { try await call() } catch { return error }
    return nil
  }

  /// The name of a refusal, for people to read.
  static func name(_ refusal: AuthError?) -> String { refusal.map { "\($0.code)" } ?? "accepted" }
}
