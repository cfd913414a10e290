public import GatehouseBase

/// Exchanges a refresh token for an ID token (RFC 6749, section 6).
///
/// Source: https://cloud.google.com/identity-platform/docs/use-rest-api#section-refresh-token
public struct ExchangeRefreshToken: Call {
  /// The path of the REST call, after its host.
  public static let endpoint = "securetoken.googleapis.com/v1/token"

  /// `refresh_token`, the only grant type that this endpoint supports.
  public var grantType = "refresh_token"
  /// The refresh token.
  public var refreshToken: Secret
  /// The tenant; `nil` for the token's own. A call that names another one than the token is refused.
  public var tenantId: String?

  /// Makes a request for new tokens.
  public init(refreshToken: Secret) { self.refreshToken = refreshToken }

  enum CodingKeys: String, CodingKey {
    case grantType = "grant_type"
    case refreshToken = "refresh_token"
    case tenantId = "tenant_id"
  }

  /// The response: new tokens. The refresh token may be the one that was sent.
  public struct Response: Codable, Sendable, Hashable {
    /// The new ID token.
    public var idToken: Secret
    /// The refresh token to use from now on.
    public var refreshToken: Secret
    /// The lifetime of the ID token, in seconds.
    public var expiresIn: DecimalString
    /// The identifier of the user that the tokens belong to.
    public var userId: String
    /// The token type, `Bearer` (RFC 6750).
    public var tokenType = "Bearer"

    /// Makes a response with tokens.
    ///
    /// - Parameters:
    ///   - idToken: the new ID token.
    ///   - refreshToken: the refresh token to use from now on.
    ///   - lifetime: the lifetime of the ID token; sent in whole seconds.
    ///   - userId: the user's identifier.
    public init(idToken: Secret, refreshToken: Secret, expiresIn lifetime: Duration, userId: String) {
      self.idToken = idToken
      self.refreshToken = refreshToken
      self.expiresIn = DecimalString(secondsOf: lifetime)
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
