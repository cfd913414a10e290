public import GatehouseBase

/// Completes the enrollment of a second factor with its first one-time password or code.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaEnrollment/finalize
public struct FinalizeMfaEnrollment: Call {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:finalize"

  /// The ID token of the account's user.
  public var idToken: Secret
  /// The user's name for the factor.
  public var displayName: String?
  /// The proof that the app has the secret.
  public var totpVerificationInfo: TotpVerificationInfo?
  /// The proof that the user has the phone.
  public var phoneVerificationInfo: PhoneVerificationInfo?
  /// The tenant; `nil` for the token's own. A call that names another one than the token is refused.
  public var tenantId: String?

  /// Makes a request to complete an enrollment.
  public init(idToken: Secret, displayName: String?, _ proof: TotpVerificationInfo) {
    self.idToken = idToken
    self.displayName = displayName
    totpVerificationInfo = proof
  }

  /// Makes a request to complete the enrollment of a phone.
  public init(idToken: Secret, displayName: String?, _ proof: PhoneVerificationInfo) {
    self.idToken = idToken
    self.displayName = displayName
    phoneVerificationInfo = proof
  }

  /// The response: the tokens that replace the session's own.
  public typealias Response = SecondFactorTokens
}
