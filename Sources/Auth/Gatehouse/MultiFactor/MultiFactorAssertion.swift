import GatehouseCore
import IdentityToolkit

/// The proof of a second factor, for an enrollment or a sign-in: from `TOTPMultiFactorGenerator`,
/// `PhoneMultiFactorGenerator`, or a recovery code. Its description contains no secret.
public struct MultiFactorAssertion: Sendable, Hashable {
  private enum Kind: Sendable, Hashable {
    case enrollment(sessionInfo: Secret, password: Secret)
    case signIn(SecondFactorProof)
    /// For an enrollment or a sign-in: that was decided when the code was sent. `nil` if the credential was not a
    /// phone's.
    case phone(PhoneVerificationInfo?)
  }

  private let kind: Kind
  /// The kind of proof: `totp`, `phone`, `recovery_code`.
  public let factorID: String

  /// Returns an assertion for a sign-in with one of the account's recovery codes. Spaces, hyphens and case do not
  /// matter.
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

  static func phone(_ proof: PhoneVerificationInfo?) -> MultiFactorAssertion {
    MultiFactorAssertion(kind: .phone(proof), factorID: PhoneMultiFactorGenerator.factorID)
  }

  func enrollment() throws(AuthError) -> EnrollmentProof {
    switch kind {
    case .enrollment(let session, let password):
      return .totp(TotpVerificationInfo(sessionInfo: session, verificationCode: password.revealed))
    case .phone(let proof?): return .phone(proof)
    case .phone(nil): throw .noPhoneCode
    case .signIn:
      throw AuthError(.invalidArgument, "this assertion signs in; use assertionForEnrollment(with:oneTimePassword:)")
    }
  }

  func signIn() throws(AuthError) -> SecondFactorProof {
    switch kind {
    case .signIn(let proof): return proof
    case .phone(let proof?): return .phone(code: proof.code, sessionInfo: proof.sessionInfo)
    case .phone(nil): throw .noPhoneCode
    case .enrollment:
      throw AuthError(
        .invalidArgument, "this assertion enrols; use assertionForSignIn(withEnrollmentID:oneTimePassword:)")
    }
  }
}

extension AuthError {
  fileprivate static var noPhoneCode: AuthError {
    AuthError(
      .invalidArgument,
      "this credential has no code of a phone; make it with credential(withVerificationID:verificationCode:)")
  }
}
