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
  /// Whether tokens are wanted: always `true` here.
  public var returnSecureToken = true

  /// Asks for a sign-in.
  public init(token: Secret) { self.token = token }

  /// The tokens. The protocol does not name the user beside them: the ID token does.
  public struct Response: Codable, Sendable, Hashable {
    /// The ID token.
    public var idToken: Secret
    /// The refresh token.
    public var refreshToken: Secret
    /// How long the ID token lives, in seconds.
    public var expiresIn: DecimalString
    /// Whether the sign-in made the account.
    public var isNewUser: Bool?

    /// Answers with a user's tokens.
    ///
    /// - Parameters:
    ///   - idToken: the ID token.
    ///   - refreshToken: the refresh token.
    ///   - lifetime: how long the ID token lives; sent in whole seconds.
    ///   - isNewUser: whether the sign-in made the account.
    public init(idToken: Secret, refreshToken: Secret, expiresIn lifetime: Duration, isNewUser: Bool) {
      self.idToken = idToken
      self.refreshToken = refreshToken
      self.expiresIn = DecimalString(secondsOf: lifetime)
      self.isNewUser = isNewUser
    }
  }
}
