public import GatehouseBase

/// The answer to a call that signs in.
public struct SignInResponse: Codable, Sendable, Hashable {
  public var localId: String
  public var email: String?
  public var displayName: String?
  public var idToken: Secret
  public var refreshToken: Secret
  /// How long the ID token lives, in seconds.
  public var expiresIn: DecimalString

  public init(
    localId: String, email: String? = nil, displayName: String? = nil, idToken: Secret, refreshToken: Secret,
    expiresIn: Int64
  ) {
    self.localId = localId
    self.email = email
    self.displayName = displayName
    self.idToken = idToken
    self.refreshToken = refreshToken
    self.expiresIn = DecimalString(expiresIn)
  }
}
