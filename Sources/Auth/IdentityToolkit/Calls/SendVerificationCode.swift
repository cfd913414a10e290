public import GatehouseBase

/// Sends a code to a phone.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/sendVerificationCode
public struct SendVerificationCode: LocalizedCall, TenantCall {
  private enum CodingKeys: String, CodingKey { case phoneNumber, tenantId }

  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:sendVerificationCode"

  /// The phone's number, as E.164 writes it: `+12025550123`.
  public var phoneNumber: String
  /// The tenant; see `TenantCall`.
  public var tenantId: String?
  /// The language of the message; not on the wire.
  public var locale: String?

  /// Asks for a code.
  public init(phoneNumber: String) { self.phoneNumber = phoneNumber }

  /// What the code goes with.
  public struct Response: Codable, Sendable, Hashable {
    /// Names the message that was sent.
    public var sessionInfo: Secret

    /// Answers with what the code goes with.
    public init(sessionInfo: Secret) { self.sessionInfo = sessionInfo }
  }
}
