public import GatehouseBase

/// Changes the account that an ID token belongs to, or applies the code of a message. A member that is `nil` changes
/// nothing.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/update
public struct Update: TenantCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:update"

  /// The ID token of the account's user; `nil` with a code, which identifies its account.
  public var idToken: Secret?
  /// The code of a message to apply: it verifies, changes or recovers an address.
  public var oobCode: Secret?
  /// The new display name.
  public var displayName: String?
  /// The new picture's address.
  public var photoUrl: String?
  /// The new address.
  public var email: String?
  /// The new password; it revokes the user's tokens. With a code that removes a second factor, the account's present
  /// password, which Gatehouse's provider asks for some days after the enrollment. Ignored with other codes.
  public var password: Secret?
  /// The fields to remove.
  public var deleteAttribute: [Attribute]?
  /// Identity providers to unlink.
  public var deleteProvider: [String]?
  /// The tenant; see `TenantCall`.
  public var tenantId: String?
  /// Whether tokens are wanted if the change revokes the old ones. `true` by default.
  public var returnSecureToken = true

  /// A field that can be removed.
  public enum Attribute: String, Codable, Sendable {
    /// The display name.
    case displayName = "DISPLAY_NAME"
    /// The picture's address.
    case photoURL = "PHOTO_URL"
    /// The address, with the ways to sign in by it. Gatehouse's provider removes it for administrators, and for the
    /// users of an emulator.
    case email = "EMAIL"
    /// The password.
    case password = "PASSWORD"
    /// All identity providers.
    case provider = "PROVIDER"
  }

  /// Makes a request that changes nothing yet; set the members to change.
  public init(idToken: Secret) { self.idToken = idToken }

  /// Makes a request to apply the code of a message.
  public init(oobCode: Secret) { self.oobCode = oobCode }

  /// The response: the account after the change, with new tokens if the change revoked the old ones.
  public struct Response: Codable, Sendable, Hashable {
    /// The user's identifier.
    public var localId: String
    /// The user's address.
    public var email: String?
    /// Whether the provider has verified the address.
    public var emailVerified: Bool?
    /// The user's display name.
    public var displayName: String?
    /// The picture's address.
    public var photoUrl: String?
    /// One entry for each way to sign in that the account has.
    public var providerUserInfo: [Account.ProviderUserInfo]?
    /// The new ID token, if the change revoked the old ones.
    public var idToken: Secret?
    /// The new refresh token, if the change revoked the old one.
    public var refreshToken: Secret?
    /// The lifetime of the ID token, in seconds.
    public var expiresIn: DecimalString?

    /// Makes a response that has only the user's identifier.
    public init(localId: String) { self.localId = localId }
  }
}
