public import GatehouseBase

/// Revokes a token of an identity provider, usually Apple's, whose rules require it when an account is deleted.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts/revokeToken
public struct RevokeToken: Call {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v2/accounts:revokeToken"

  /// The ID token of the account's user.
  public var idToken: Secret
  /// The identity provider.
  public var providerId: String
  /// The token, or an authorization code.
  public var token: Secret
  /// The kind of `token`.
  public var tokenType: TokenType
  /// The tenant; `nil` for the token's own. A call that names another one than the token is refused.
  public var tenantId: String?

  /// The kinds of tokens.
  public enum TokenType: String, Codable, Sendable {
    /// A refresh token.
    case refreshToken = "REFRESH_TOKEN"
    /// An access token.
    case accessToken = "ACCESS_TOKEN"
    /// An authorization code.
    case code = "CODE"
  }

  /// Makes a request to revoke a token.
  public init(idToken: Secret, providerId: String, token: Secret, tokenType: TokenType) {
    self.idToken = idToken
    self.providerId = providerId
    self.token = token
    self.tokenType = tokenType
  }

  /// The empty response.
  public struct Response: Codable, Sendable, Hashable {
    /// Makes an empty response.
    public init() {}
  }
}
