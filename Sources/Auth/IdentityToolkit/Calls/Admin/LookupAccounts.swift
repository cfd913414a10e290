/// Looks up accounts by identifiers of any kind. Missing accounts are left out.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/lookup
public struct LookupAccounts: AdminCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/projects/{project}/accounts:lookup"
  /// `true`: the call changes nothing.
  public static let isReadOnly = true

  /// The users' identifiers.
  public var localId: [String]?
  /// Their addresses.
  public var email: [String]?
  /// Their phone numbers.
  public var phoneNumber: [String]?
  /// Their identities at identity providers.
  public var federatedUserId: [FederatedUser]?
  /// The tenant; `nil` for the project's own accounts.
  public var tenantId: String?

  /// Identifies a user of an identity provider.
  public struct FederatedUser: Codable, Sendable, Hashable {
    /// The provider: `google.com`.
    public var providerId: String
    /// The user's identifier there.
    public var rawId: String

    /// Makes the identifier of a user.
    public init(providerId: String, rawId: String) {
      self.providerId = providerId
      self.rawId = rawId
    }
  }

  /// Makes a request that names no account yet; set the members that do.
  public init() {}

  /// The response: the accounts.
  public typealias Response = Lookup.Response
}
