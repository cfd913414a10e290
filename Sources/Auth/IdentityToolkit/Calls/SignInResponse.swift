public import GatehouseBase

/// The answer to a call that signs in.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signInWithPassword
public struct SignInResponse: Codable, Sendable, Hashable {
  /// The user's identifier.
  public var localId: String
  /// The user's address; `nil` for an anonymous user.
  public var email: String?
  /// The user's display name.
  public var displayName: String?
  /// The ID token.
  public var idToken: Secret
  /// The refresh token.
  public var refreshToken: Secret
  /// The lifetime of the ID token, in seconds.
  public var expiresIn: DecimalString

  /// Whether the sign-in created the account, if the call may do that.
  public var isNewUser: Bool?

  /// Makes a response with a user and their tokens.
  ///
  /// - Parameters:
  ///   - localId: the user's identifier.
  ///   - email: the user's address, if there is one.
  ///   - displayName: the user's name, if there is one.
  ///   - idToken: the ID token.
  ///   - refreshToken: the refresh token.
  ///   - lifetime: the lifetime of the ID token; sent in whole seconds.
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
