public import GatehouseBase

/// Makes the link of a message without sending it, or sends it.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/sendOobCode
public struct MakeActionLink: AdminCall, LocalizedCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/projects/{project}/accounts:sendOobCode"

  /// The purpose of the link.
  public var requestType: ActionCodeType
  /// The account's address, or the address that signs in.
  public var email: String?
  /// The account's new address, for `.verifyAndChangeEmail`.
  public var newEmail: String?
  /// The page that the link leads to in the end.
  public var continueUrl: String?
  /// The domain of the link.
  public var linkDomain: String?
  /// Whether an app handles the code, instead of a web page of the project.
  public var canHandleCodeInApp: Bool?
  /// Whether to return the link instead of sending a message.
  public var returnOobLink: Bool?
  /// The tenant; `nil` for the project itself.
  public var tenantId: String?
  /// The language of the link's page, as a BCP 47 tag; not sent in the body.
  public var locale: String?

  private enum CodingKeys: String, CodingKey {
    case requestType, email, newEmail, continueUrl, linkDomain, canHandleCodeInApp, returnOobLink, tenantId
  }

  /// Makes a request for a link.
  public init(_ requestType: ActionCodeType, email: String) {
    self.requestType = requestType
    self.email = email
    returnOobLink = true
  }

  /// The response: the link.
  public struct Response: Codable, Sendable, Hashable {
    /// The account's address.
    public var email: String?
    /// The code in the link.
    public var oobCode: Secret?
    /// The link; `nil` if the message was sent.
    public var oobLink: Secret?

    /// Makes a response that has only the address.
    public init(email: String?) { self.email = email }
  }
}
