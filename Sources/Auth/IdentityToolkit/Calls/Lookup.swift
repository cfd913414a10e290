public import GatehouseBase

/// Looks up the account that an ID token belongs to.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/lookup
public struct Lookup: TenantCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:lookup"
  /// `true`: the call changes nothing.
  public static let isReadOnly = true

  /// The ID token of the account's user.
  public var idToken: Secret
  /// The tenant that the user must be of; `nil` for any.
  public var tenantId: String?

  /// Makes a request for the account of this ID token.
  public init(idToken: Secret) { self.idToken = idToken }

  /// The response: exactly one account.
  public struct Response: Codable, Sendable, Hashable {
    /// The accounts found.
    public var users: [Account]?

    /// Makes a response with accounts.
    public init(users: [Account]) { self.users = users }
  }
}
