public import GatehouseBase

/// Changes the account that an ID token belongs to, or applies the code of a message. A member that is `nil` changes
/// nothing.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/update
public struct Update: TenantCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:update"

  /// The ID token of the account's user; `nil` with a code, which names its account.
  public var idToken: Secret?
  /// The code of a message that is to be applied: it verifies, changes or recovers an address.
  public var oobCode: Secret?
  /// The new name to show.
  public var displayName: String?
  /// The new picture's address.
  public var photoUrl: String?
  /// The new address.
  public var email: String?
  /// The new password; it revokes the user's tokens.
  public var password: Secret?
  /// Fields to empty.
  public var deleteAttribute: [Attribute]?
  /// Identity providers to unlink.
  public var deleteProvider: [String]?
  /// The tenant; see `TenantCall`.
  public var tenantId: String?
  /// Whether tokens are wanted where the change revokes the old ones: `true` unless set otherwise.
  public var returnSecureToken = true

  /// A field that a change can empty.
  public enum Attribute: String, Codable, Sendable {
    /// The name to show.
    case displayName = "DISPLAY_NAME"
    /// The picture's address.
    case photoURL = "PHOTO_URL"
  }

  /// Makes a request that changes nothing yet: set the members that are to change.
  public init(idToken: Secret) { self.idToken = idToken }

  /// Applies the code of a message.
  public init(oobCode: Secret) { self.oobCode = oobCode }

  /// The account after the change; with new tokens where the change revoked the old ones.
  public struct Response: Codable, Sendable, Hashable {
    /// The user's identifier.
    public var localId: String
    /// The user's address.
    public var email: String?
    /// Whether the provider has verified the address.
    public var emailVerified: Bool?
    /// The name to show.
    public var displayName: String?
    /// The picture's address.
    public var photoUrl: String?
    /// One entry for each way to sign in that the account has.
    public var providerUserInfo: [Account.ProviderUserInfo]?
    /// The new ID token, where the change revoked the old ones.
    public var idToken: Secret?
    /// The new refresh token, where the change revoked the old one.
    public var refreshToken: Secret?
    /// How long the ID token lives, in seconds.
    public var expiresIn: DecimalString?

    /// Answers with nothing but the user's identifier.
    public init(localId: String) { self.localId = localId }
  }
}
