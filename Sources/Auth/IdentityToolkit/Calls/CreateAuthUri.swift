/// Asks how an address can sign in.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/createAuthUri
public struct CreateAuthUri: TenantCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:createAuthUri"
  /// It only asks.
  public static let isReadOnly = true

  /// The address.
  public var identifier: String
  /// Where a sign-in would lead; the protocol wants one though none begins here.
  public var continueUri: String
  /// The tenant; see `TenantCall`.
  public var tenantId: String?

  /// Asks how an address can sign in.
  public init(identifier: String, continueUri: String = "http://localhost") {
    self.identifier = identifier
    self.continueUri = continueUri
  }

  /// The ways to sign in; with enumeration protection none of its members is there.
  public struct Response: Codable, Sendable, Hashable {
    /// Whether an account has the address.
    public var registered: Bool?
    /// The account's identity providers.
    public var allProviders: [String]?
    /// The account's ways to sign in: `password`, `emailLink`, …
    public var signinMethods: [String]?

    /// Answers with nothing.
    public init() {}
  }
}
