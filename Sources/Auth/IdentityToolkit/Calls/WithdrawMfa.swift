public import GatehouseBase

/// Removes a second factor.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaEnrollment/withdraw
public struct WithdrawMfa: Call {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:withdraw"

  /// The ID token of the account's user.
  public var idToken: Secret
  /// The factor's identifier.
  public var mfaEnrollmentId: String
  /// The tenant; `nil` for the token's own. A call that names another one than the token is refused.
  public var tenantId: String?

  /// Makes a request to remove a factor.
  public init(idToken: Secret, mfaEnrollmentId: String) {
    self.idToken = idToken
    self.mfaEnrollmentId = mfaEnrollmentId
  }

  /// The response: the tokens that replace the session's own.
  public typealias Response = SecondFactorTokens
}
