public import GatehouseBase

/// Sends a code to a phone.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/sendVerificationCode
public struct SendVerificationCode: LocalizedCall, TenantCall {
  private enum CodingKeys: String, CodingKey { case phoneNumber, tenantId }

  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:sendVerificationCode"

  /// The phone's number in E.164 form: `+12025550123`.
  public var phoneNumber: String
  /// The tenant; see `TenantCall`.
  public var tenantId: String?
  /// The language of the message; not sent in the body.
  public var locale: String?

  /// Makes a request for a code.
  public init(phoneNumber: String) { self.phoneNumber = phoneNumber }

  /// The response: the identifier that belongs to the code.
  public struct Response: Codable, Sendable, Hashable {
    /// The identifier of the message.
    public var sessionInfo: Secret

    /// Makes a response with the message's identifier.
    public init(sessionInfo: Secret) { self.sessionInfo = sessionInfo }
  }
}
