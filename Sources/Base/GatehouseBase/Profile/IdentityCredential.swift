/// The credential that an identity provider issued to a user, as proof of the user's identity to the project.
///
/// Its description contains no token.
public struct IdentityCredential: Sendable, Hashable {
  /// The identity provider: `google.com`, `oidc.example`.
  public let providerID: String
  /// The identity provider's ID token.
  public var idToken: Secret?
  /// The identity provider's access token.
  public var accessToken: Secret?
  /// The secret of an OAuth 1 access token.
  public var secret: Secret?
  /// The value whose SHA-256 is the ID token's `nonce`.
  public var rawNonce: Secret?
  /// A SAML response, in base64.
  public var samlResponse: Secret?
  /// The user's name, for an identity provider that sends it only once and outside the token, as Apple does.
  public var fullName: String?
  /// A reference to the tokens, if the project's server keeps them.
  public var pendingToken: Secret?

  /// Creates an empty credential.
  public init(providerID: String) { self.providerID = providerID }
}

/// The details of a sign-in with an identity provider, apart from the user.
package struct IdentityDetails: Sendable, Hashable {
  package var credential: IdentityCredential
  /// The identity provider's whole profile of the user, as JSON.
  package var profile: Secret?
  package var username: String?

  package init(_ credential: IdentityCredential) { self.credential = credential }
}
