public import GatehouseBase

/// Sends a code to the phone of a sign-in that waits for a second factor.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaSignIn/start
public struct StartMfaSignIn: LocalizedCall, TenantCall {
  private enum CodingKeys: String, CodingKey { case mfaPendingCredential, mfaEnrollmentId, phoneSignInInfo, tenantId }

  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:start"

  /// The sign-in that waits: `PendingSignIn.credential`.
  public var mfaPendingCredential: Secret
  /// Names the factor.
  public var mfaEnrollmentId: String
  /// Says that the factor is a phone.
  public var phoneSignInInfo = Phone()
  /// The tenant; see `TenantCall`.
  public var tenantId: String?
  /// The language of the message; not on the wire.
  public var locale: String?

  /// Asks for a message to a phone.
  public struct Phone: Codable, Sendable, Hashable {
    /// Has no members.
    public init() {}
  }

  /// Asks for a message to a phone.
  public init(_ pending: Secret, factor: String) {
    mfaPendingCredential = pending
    mfaEnrollmentId = factor
  }

  /// What the code goes with.
  public struct Response: Codable, Sendable, Hashable {
    /// Names the message.
    public var phoneResponseInfo: StartMfaEnrollment.PhoneSession

    /// Answers with what names the message.
    public init(_ session: StartMfaEnrollment.PhoneSession) { phoneResponseInfo = session }
  }
}
