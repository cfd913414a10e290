public import GatehouseBase

/// Ends the enrolment of a second factor with its first password.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaEnrollment/finalize
public struct FinalizeMfaEnrollment: Call {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:finalize"

  /// The ID token of the account's user.
  public var idToken: Secret
  /// The name that the user gives the factor.
  public var displayName: String?
  /// The proof that the app has the secret.
  public var totpVerificationInfo: TotpVerificationInfo?

  /// Ends an enrolment.
  public init(idToken: Secret, displayName: String?, _ proof: TotpVerificationInfo) {
    self.idToken = idToken
    self.displayName = displayName
    totpVerificationInfo = proof
  }

  /// The tokens that replace the session's own.
  public typealias Response = SecondFactorTokens
}
