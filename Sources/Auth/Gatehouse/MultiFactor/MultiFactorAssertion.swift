import GatehouseCore
import IdentityToolkit

/// The proof of a second factor, for an enrolment or a sign-in: from `TOTPMultiFactorGenerator`, or a recovery code.
/// Prints no secret.
public struct MultiFactorAssertion: Sendable, Hashable {
  private enum Kind: Sendable, Hashable {
    case enrollment(sessionInfo: Secret, password: Secret)
    case signIn(SecondFactorProof)
  }

  private let kind: Kind
  /// What it proves: `totp`, `recovery_code`.
  public let factorID: String

  /// A sign-in by one of the account's recovery codes. Spaces, hyphens and lower case do not matter.
  public static func recoveryCode(_ code: String) -> MultiFactorAssertion {
    MultiFactorAssertion(kind: .signIn(.recoveryCode(Secret(code))), factorID: "recovery_code")
  }

  static func enrollment(_ secret: TOTPSecret, _ password: String) -> MultiFactorAssertion {
    MultiFactorAssertion(
      kind: .enrollment(sessionInfo: secret.session.sessionInfo, password: Secret(password)),
      factorID: TOTPMultiFactorGenerator.factorID)
  }

  static func signIn(_ factor: String, _ password: String) -> MultiFactorAssertion {
    MultiFactorAssertion(
      kind: .signIn(.totp(factor: factor, password: Secret(password))), factorID: TOTPMultiFactorGenerator.factorID)
  }

  func enrollment() throws(AuthError) -> TotpVerificationInfo {
    guard case .enrollment(let session, let password) = kind else {
      throw AuthError(.invalidArgument, "this assertion signs in; use assertionForEnrollment(with:oneTimePassword:)")
    }
    return TotpVerificationInfo(sessionInfo: session, verificationCode: password.revealed)
  }

  func signIn() throws(AuthError) -> SecondFactorProof {
    guard case .signIn(let proof) = kind else {
      throw AuthError(
        .invalidArgument, "this assertion enrols; use assertionForSignIn(withEnrollmentID:oneTimePassword:)")
    }
    return proof
  }
}
