/// What an identity provider has given a user, which proves to the project who that is.
///
/// Prints no token.
public struct IdentityCredential: Sendable, Hashable {
  /// The identity provider: `google.com`, `oidc.example`.
  public let providerID: String
  /// Its ID token.
  public var idToken: Secret?
  /// Its access token.
  public var accessToken: Secret?
  /// The secret of an OAuth 1 access token.
  public var secret: Secret?
  /// What the ID token's `nonce` is the SHA-256 of.
  public var rawNonce: Secret?
  /// A SAML response, in base64.
  public var samlResponse: Secret?
  /// The user's name, where the identity provider tells it only once and beside the token, as Apple does.
  public var fullName: String?
  /// Stands for the tokens, where the project's server keeps them.
  public var pendingToken: Secret?

  /// Makes a credential with nothing in it yet.
  public init(providerID: String) { self.providerID = providerID }
}

/// What is known of a sign-in with an identity provider, beside the user.
package struct IdentityDetails: Sendable, Hashable {
  package var credential: IdentityCredential
  /// All that the identity provider says of the user, as JSON.
  package var profile: Secret?
  package var username: String?

  package init(_ credential: IdentityCredential) { self.credential = credential }
}
