public import GatehouseBase

/// Completes a sign-in with a second factor.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaSignIn/finalize
public struct FinalizeMfaSignIn: TenantCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:finalize"

  /// The waiting sign-in: `PendingSignIn.credential`.
  public var mfaPendingCredential: Secret
  /// The factor's identifier; `nil` with a recovery code.
  public var mfaEnrollmentId: String?
  /// The one-time password of an authenticator app.
  public var totpVerificationInfo: TotpVerificationInfo?
  /// The code that was sent to a phone; its message identifies the factor.
  public var phoneVerificationInfo: PhoneVerificationInfo?
  /// The tenant; see `TenantCall`.
  public var tenantId: String?
  /// One of the account's recovery codes. Specific to Gatehouse: the protocol has none.
  public var recoveryCode: Secret?

  /// Makes a request with the one-time password of an authenticator app.
  public init(_ pending: Secret, factor: String, password: String) {
    mfaPendingCredential = pending
    mfaEnrollmentId = factor
    totpVerificationInfo = TotpVerificationInfo(verificationCode: password)
  }

  /// Makes a request with the code that was sent to a phone.
  public init(_ pending: Secret, _ proof: PhoneVerificationInfo) {
    mfaPendingCredential = pending
    phoneVerificationInfo = proof
  }

  /// Makes a request with a recovery code.
  public init(_ pending: Secret, recoveryCode: Secret) {
    mfaPendingCredential = pending
    self.recoveryCode = recoveryCode
  }

  /// The response: the user's tokens.
  public typealias Response = SecondFactorTokens
}
