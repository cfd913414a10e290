/// An ID token and what it says. Read, not verified: servers verify what they receive.
public struct AuthTokenResult: Sendable, Hashable {
  /// The token itself.
  public let token: String

  init(_ token: String) throws(AuthError) {
    self.token = token
  }
}
