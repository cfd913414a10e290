public import GatehouseBase

/// Ends the enrolment of a second factor with its first password or code.
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
  /// The proof that the user has the phone.
  public var phoneVerificationInfo: PhoneVerificationInfo?

  /// Ends an enrolment.
  public init(idToken: Secret, displayName: String?, _ proof: TotpVerificationInfo) {
    self.idToken = idToken
    self.displayName = displayName
    totpVerificationInfo = proof
  }

  /// Ends an enrolment of a phone.
  public init(idToken: Secret, displayName: String?, _ proof: PhoneVerificationInfo) {
    self.idToken = idToken
    self.displayName = displayName
    phoneVerificationInfo = proof
  }

  /// The tokens that replace the session's own.
  public typealias Response = SecondFactorTokens
}
