public import GatehouseBase

/// Makes the link of a message without sending it, or sends it.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/sendOobCode
public struct MakeActionLink: AdminCall, LocalizedCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/projects/{project}/accounts:sendOobCode"

  /// What the link is for.
  public var requestType: ActionCodeType
  /// The account's address, or the one that signs in.
  public var email: String?
  /// The address that the account is to get: for `.verifyAndChangeEmail`.
  public var newEmail: String?
  /// Where the link leads in the end.
  public var continueUrl: String?
  /// The domain of the link.
  public var linkDomain: String?
  /// Whether an app handles the code, and not a web page of the project.
  public var canHandleCodeInApp: Bool?
  /// Whether the link is answered and no message sent.
  public var returnOobLink: Bool?
  /// The tenant; `nil` for the project itself.
  public var tenantId: String?
  /// The language of the link's page, as a BCP 47 tag; not on the wire.
  public var locale: String?

  private enum CodingKeys: String, CodingKey {
    case requestType, email, newEmail, continueUrl, linkDomain, canHandleCodeInApp, returnOobLink, tenantId
  }

  /// Asks for a link.
  public init(_ requestType: ActionCodeType, email: String) {
    self.requestType = requestType
    self.email = email
    returnOobLink = true
  }

  /// The link.
  public struct Response: Codable, Sendable, Hashable {
    /// The account's address.
    public var email: String?
    /// The code in the link.
    public var oobCode: Secret?
    /// The link; `nil` where the message was sent.
    public var oobLink: Secret?

    /// Answers with nothing but the address.
    public init(email: String?) { self.email = email }
  }
}
