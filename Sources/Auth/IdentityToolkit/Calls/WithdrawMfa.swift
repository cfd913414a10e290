public import GatehouseBase

/// Takes a second factor away.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaEnrollment/withdraw
public struct WithdrawMfa: Call {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:withdraw"

  /// The ID token of the account's user.
  public var idToken: Secret
  /// Names the factor.
  public var mfaEnrollmentId: String

  /// Takes a factor away.
  public init(idToken: Secret, mfaEnrollmentId: String) {
    self.idToken = idToken
    self.mfaEnrollmentId = mfaEnrollmentId
  }

  /// The tokens that replace the session's own.
  public typealias Response = SecondFactorTokens
}
