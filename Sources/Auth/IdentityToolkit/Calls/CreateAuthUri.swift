/// Finds the sign-in methods of an address.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/createAuthUri
public struct CreateAuthUri: TenantCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:createAuthUri"
  /// `true`: the call changes nothing.
  public static let isReadOnly = true

  /// The address.
  public var identifier: String
  /// The page that a sign-in would lead to. The protocol requires it even though no sign-in begins here.
  public var continueUri: String
  /// The tenant; see `TenantCall`.
  public var tenantId: String?
  /// An identifier that the answer repeats.
  public var sessionId: String?

  /// Makes a request for the sign-in methods of an address.
  public init(identifier: String, continueUri: String = "http://localhost") {
    self.identifier = identifier
    self.continueUri = continueUri
  }

  /// The response: the sign-in methods. With enumeration protection these members are missing.
  public struct Response: Codable, Sendable, Hashable {
    /// Whether an account has the address.
    public var registered: Bool?
    /// The account's identity providers.
    public var allProviders: [String]?
    /// The account's sign-in methods: `password`, `emailLink`, …
    public var signinMethods: [String]?
    /// The request's identifier, or a random one.
    public var sessionId: String?

    /// Makes an empty response.
    public init() {}
  }
}
