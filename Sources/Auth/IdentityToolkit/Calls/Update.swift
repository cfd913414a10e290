public import GatehouseBase

/// Changes the account that an ID token belongs to. Only what is given is changed.
public struct Update: Call {
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:update"

  public var idToken: Secret
  public var displayName: String?
  public var photoUrl: String?
  public var email: String?
  public var password: Secret?
  /// Fields to empty.
  public var deleteAttribute: [Attribute]?
  public var returnSecureToken = true

  public enum Attribute: String, Codable, Sendable {
    case displayName = "DISPLAY_NAME"
    case photoURL = "PHOTO_URL"
  }

  public init(idToken: Secret) { self.idToken = idToken }

  /// The account after the change; with new tokens where the change revoked the old ones.
  public struct Response: Codable, Sendable, Hashable {
    public var localId: String
    public var email: String?
    public var displayName: String?
    public var photoUrl: String?
    public var idToken: Secret?
    public var refreshToken: Secret?
    public var expiresIn: DecimalString?

    public init(localId: String) { self.localId = localId }
  }
}
