public import GatehouseBase
public import GatehouseHTTP

/// The user of a request, whose credential a `RequestAuthenticator` has verified. Nothing else makes one.
public struct AuthenticatedUser: Sendable {
  /// What the request has shown.
  public enum Credential: Sendable, Hashable {
    /// `Authorization: Bearer`, with a token that is not bound to a key.
    case bearerToken
    /// `Authorization: DPoP`, with a proof of the key that the token is bound to.
    case boundToken
    /// A session cookie.
    case sessionCookie
  }

  /// The user's identifier, the token's `sub`; never empty.
  public let uid: String
  /// The verified token, with every claim.
  public let token: VerifiedToken
  /// What the request has shown.
  public let credential: Credential
  /// The header fields that the answer must have: `DPoP-Nonce` where proofs need a nonce.
  public let responseHeaders: TransportHeaders

  init(
    _ token: VerifiedToken, _ credential: Credential, responseHeaders: TransportHeaders = [:]
  ) throws(AuthError) {
    guard let uid = token.subject, !uid.isEmpty else {
      throw AuthError(.claimInvalid, "the token names no user (`sub` is missing or empty)")
    }
    self.uid = uid
    self.token = token
    self.credential = credential
    self.responseHeaders = responseHeaders
  }

  /// The user's e-mail address, `email`. Whether it is the user's own says `isEmailVerified`.
  public var email: String? { token["email"]?.string }
  /// Whether the user has shown to own the address, `email_verified`.
  public var isEmailVerified: Bool { token["email_verified"]?.bool ?? false }
  /// Every claim of the token, those of your own among them.
  public var claims: JSONObject { token.claims }
}

extension AuthenticatedUser: CustomStringConvertible, CustomReflectable {
  /// The user's identifier, and what the request has shown: never the token.
  public var description: String { "AuthenticatedUser(\(uid.printable()), \(credential))" }
  /// The same members, and no others.
  public var customMirror: Mirror { Mirror(self, children: ["uid": uid.printable(), "credential": credential]) }
}
