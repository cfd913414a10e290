public import GatehouseBase

/// Deletes the account that an ID token belongs to.
public struct Delete: Call {
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:delete"

  public var idToken: Secret

  public init(idToken: Secret) { self.idToken = idToken }

  public struct Response: Codable, Sendable, Hashable {
    public init() {}
  }
}
