public import GatehouseBase

/// Deletes the account that an ID token belongs to.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/delete
public struct Delete: Call {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:delete"

  /// The ID token of the account's user.
  public var idToken: Secret
  /// The tenant; `nil` for the token's own. A call that names another one than the token is refused.
  public var tenantId: String?

  /// Makes a request to delete the account of this ID token.
  public init(idToken: Secret) { self.idToken = idToken }

  /// The response: the account is deleted.
  public struct Response: Codable, Sendable, Hashable {
    /// Makes a response, which has no members that this client reads.
    public init() {}
  }
}
