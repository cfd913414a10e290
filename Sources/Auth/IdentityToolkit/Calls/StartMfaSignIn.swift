public import GatehouseBase

/// Sends a code to a phone that is the second factor of a waiting sign-in.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaSignIn/start
public struct StartMfaSignIn: LocalizedCall, TenantCall {
  private enum CodingKeys: String, CodingKey { case mfaPendingCredential, mfaEnrollmentId, phoneSignInInfo, tenantId }

  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:start"

  /// The waiting sign-in: `PendingSignIn.credential`.
  public var mfaPendingCredential: Secret
  /// The factor's identifier.
  public var mfaEnrollmentId: String
  /// Marks the factor as a phone.
  public var phoneSignInInfo = Phone()
  /// The tenant; see `TenantCall`.
  public var tenantId: String?
  /// The language of the message; not sent in the body.
  public var locale: String?

  /// Marks the factor as a phone.
  public struct Phone: Codable, Sendable, Hashable {
    /// Makes the marker, which has no members.
    public init() {}
  }

  /// Makes a request for a message to a phone.
  public init(_ pending: Secret, factor: String) {
    mfaPendingCredential = pending
    mfaEnrollmentId = factor
  }

  /// The response: the identifier that belongs to the code.
  public struct Response: Codable, Sendable, Hashable {
    /// The identifier of the message.
    public var phoneResponseInfo: StartMfaEnrollment.PhoneSession

    /// Makes a response with the message's identifier.
    public init(_ session: StartMfaEnrollment.PhoneSession) { phoneResponseInfo = session }
  }
}
