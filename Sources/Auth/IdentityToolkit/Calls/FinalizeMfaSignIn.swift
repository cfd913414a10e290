public import GatehouseBase

/// Ends a sign-in with a second factor.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaSignIn/finalize
public struct FinalizeMfaSignIn: TenantCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:finalize"

  /// The sign-in that waits: `PendingSignIn.credential`.
  public var mfaPendingCredential: Secret
  /// Names the factor; `nil` with a recovery code.
  public var mfaEnrollmentId: String?
  /// The password of an authenticator app.
  public var totpVerificationInfo: TotpVerificationInfo?
  /// The code that was sent to a phone; the message names the factor.
  public var phoneVerificationInfo: PhoneVerificationInfo?
  /// The tenant; see `TenantCall`.
  public var tenantId: String?
  /// One of the account's recovery codes. Gatehouse's own: the protocol has none.
  public var recoveryCode: Secret?

  /// Ends a sign-in with the password of an authenticator app.
  public init(_ pending: Secret, factor: String, password: String) {
    mfaPendingCredential = pending
    mfaEnrollmentId = factor
    totpVerificationInfo = TotpVerificationInfo(verificationCode: password)
  }

  /// Ends a sign-in with the code that was sent to a phone.
  public init(_ pending: Secret, _ proof: PhoneVerificationInfo) {
    mfaPendingCredential = pending
    phoneVerificationInfo = proof
  }

  /// Ends a sign-in with a recovery code.
  public init(_ pending: Secret, recoveryCode: Secret) {
    mfaPendingCredential = pending
    self.recoveryCode = recoveryCode
  }

  /// The user's tokens.
  public typealias Response = SecondFactorTokens
}
