public import GatehouseBase

/// The answer to a call that signs in.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signInWithPassword
public struct SignInResponse: Codable, Sendable, Hashable {
  /// The user's identifier.
  public var localId: String
  /// The user's address; `nil` for an anonymous user.
  public var email: String?
  /// The name to show.
  public var displayName: String?
  /// The ID token.
  public var idToken: Secret
  /// The refresh token.
  public var refreshToken: Secret
  /// How long the ID token lives, in seconds.
  public var expiresIn: DecimalString

  /// Whether the sign-in made the account, where the call may do that.
  public var isNewUser: Bool?

  /// Answers with a user and their tokens.
  ///
  /// - Parameters:
  ///   - localId: the user's identifier.
  ///   - email: the user's address, if there is one.
  ///   - displayName: the user's name, if there is one.
  ///   - idToken: the ID token.
  ///   - refreshToken: the refresh token.
  ///   - lifetime: how long the ID token lives; sent in whole seconds.
  public init(
    localId: String, email: String? = nil, displayName: String? = nil, idToken: Secret, refreshToken: Secret,
    expiresIn lifetime: Duration
  ) {
    self.localId = localId
    self.email = email
    self.displayName = displayName
    self.idToken = idToken
    self.refreshToken = refreshToken
    self.expiresIn = DecimalString(secondsOf: lifetime)
  }
}
