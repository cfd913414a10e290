public import GatehouseBase

/// Buys an ID token with a refresh token.
public struct ExchangeRefreshToken: Call {
  public static let endpoint = "securetoken.googleapis.com/v1/token"

  public var grantType = "refresh_token"
  public var refreshToken: Secret

  public init(refreshToken: Secret) { self.refreshToken = refreshToken }

  enum CodingKeys: String, CodingKey {
    case grantType = "grant_type"
    case refreshToken = "refresh_token"
  }

  /// New tokens; the refresh token may be the one that was sent.
  public struct Response: Codable, Sendable, Hashable {
    public var idToken: Secret
    public var refreshToken: Secret
    /// How long the ID token lives, in seconds.
    public var expiresIn: DecimalString
    public var userId: String
    public var tokenType = "Bearer"

    public init(idToken: Secret, refreshToken: Secret, expiresIn: Int64, userId: String) {
      self.idToken = idToken
      self.refreshToken = refreshToken
      self.expiresIn = DecimalString(expiresIn)
      self.userId = userId
    }

    enum CodingKeys: String, CodingKey {
      case idToken = "id_token"
      case refreshToken = "refresh_token"
      case expiresIn = "expires_in"
      case userId = "user_id"
      case tokenType = "token_type"
    }
  }
}
