public import GatehouseBase
public import GatehouseHTTP

/// The user of a request, whose credential a `RequestAuthenticator` has verified. It cannot be made in another way.
public struct AuthenticatedUser: Sendable {
  /// The kind of credential in the request.
  public enum Credential: Sendable, Hashable {
    /// `Authorization: Bearer`, with a token that is not bound to a key.
    case bearerToken
    /// `Authorization: DPoP`, with a proof of the key that the token is bound to.
    case boundToken
    /// A session cookie.
    case sessionCookie
  }

  /// The user's ID, the token's `sub`; never empty.
  public let uid: String
  /// The verified token, with every claim.
  public let token: VerifiedToken
  /// The kind of credential in the request.
  public let credential: Credential
  /// The header fields that the response must have: `DPoP-Nonce` if proofs need a nonce.
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

  /// The user's e-mail address, `email`. `isEmailVerified` says whether it belongs to the user.
  public var email: String? { token["email"]?.string }
  /// Whether the user has proven to own the address, `email_verified`.
  public var isEmailVerified: Bool { token["email_verified"]?.bool ?? false }
  /// Every claim of the token, including your own.
  public var claims: JSONObject { token.claims }
}

extension AuthenticatedUser: CustomStringConvertible, CustomReflectable {
  /// The user's ID, and the kind of credential: never the token.
  public var description: String { "AuthenticatedUser(\(uid.printable()), \(credential))" }
  /// The same members, and no others.
  public var customMirror: Mirror { Mirror(self, children: ["uid": uid.printable(), "credential": credential]) }
}
