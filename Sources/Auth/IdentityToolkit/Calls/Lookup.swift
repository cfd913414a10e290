public import GatehouseBase

/// Asks the provider for the account that an ID token belongs to.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/lookup
public struct Lookup: Call {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:lookup"
  /// It only asks.
  public static let isReadOnly = true

  /// The ID token of the account's user.
  public var idToken: Secret

  /// Asks for the account of this ID token.
  public init(idToken: Secret) { self.idToken = idToken }

  /// The accounts found: exactly one.
  public struct Response: Codable, Sendable, Hashable {
    /// The accounts found.
    public var users: [Account]?

    /// Answers with accounts.
    public init(users: [Account]) { self.users = users }
  }
}
