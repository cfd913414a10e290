public import GatehouseBase

/// Signs in with a token that a server of the project has signed.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signInWithCustomToken
public struct SignInWithCustomToken: TenantCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken"

  /// The signed token.
  public var token: Secret
  /// The tenant; see `TenantCall`.
  public var tenantId: String?
  /// Whether to return tokens: always `true` here.
  public var returnSecureToken = true

  /// Makes a request for a sign-in.
  public init(token: Secret) { self.token = token }

  /// The response: the tokens. The protocol's response does not name the user; the ID token does.
  public struct Response: Codable, Sendable, Hashable {
    /// The ID token.
    public var idToken: Secret
    /// The refresh token.
    public var refreshToken: Secret
    /// The lifetime of the ID token, in seconds.
    public var expiresIn: DecimalString
    /// Whether the sign-in created the account.
    public var isNewUser: Bool?

    /// Makes a response with a user's tokens.
    ///
    /// - Parameters:
    ///   - idToken: the ID token.
    ///   - refreshToken: the refresh token.
    ///   - lifetime: the lifetime of the ID token; sent in whole seconds.
    ///   - isNewUser: whether the sign-in created the account.
    public init(idToken: Secret, refreshToken: Secret, expiresIn lifetime: Duration, isNewUser: Bool) {
      self.idToken = idToken
      self.refreshToken = refreshToken
      self.expiresIn = DecimalString(secondsOf: lifetime)
      self.isNewUser = isNewUser
    }
  }
}
