public import GatehouseBase

/// Signs in with what another identity provider has given: an ID token, an access token or a SAML response. With an ID
/// token of the project, links that identity to the token's account.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signInWithIdp
public struct SignInWithIdp: TenantCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:signInWithIdp"

  /// Where the identity provider has sent the user; any address of the app's.
  public var requestUri = "http://localhost"
  /// What the identity provider has given, as a query: `providerId`, `id_token`, `access_token`, …
  public var postBody: Secret?
  /// An earlier answer's `pendingToken`, in place of `postBody`.
  public var pendingToken: Secret?
  /// The ID token of the account to link to; `nil` signs in.
  public var idToken: Secret?
  /// Whether an account may be made: `true` unless set otherwise.
  public var autoCreate = true
  /// The tenant; see `TenantCall`.
  public var tenantId: String?
  /// Whether the answer to a refusal holds the credential: always `true` here.
  public var returnIdpCredential = true
  /// Whether tokens are wanted: always `true` here.
  public var returnSecureToken = true

  /// Asks for a sign-in, or for a link.
  ///
  /// - Parameters:
  ///   - credential: what the identity provider has given.
  ///   - idToken: the account to link to; `nil` signs in.
  public init(_ credential: IdentityCredential, linkingTo idToken: Secret? = nil) {
    if let pending = credential.pendingToken { pendingToken = pending } else { postBody = credential.postBody }
    self.idToken = idToken
  }

  /// What `postBody` says; `nil` where it cannot be read, or names no provider.
  package var credential: IdentityCredential? { postBody.flatMap { IdentityCredential(postBody: $0) } }

  /// The user and their tokens; or why there are none, with the credential.
  public struct Response: Codable, Sendable, Hashable {
    /// The identity provider.
    public var providerId: String
    /// The user's identifier at that provider, as a URL.
    public var federatedId: String?
    /// The user's identifier here; `nil` where the sign-in was refused.
    public var localId: String?
    /// The address that the identity provider knows.
    public var email: String?
    /// Whether the account's address is verified.
    public var emailVerified: Bool?
    /// The name to show.
    public var displayName: String?
    /// The picture's address.
    public var photoUrl: String?
    /// The name that the user has at the identity provider: GitHub's, X's.
    public var screenName: String?
    /// All that the identity provider says of the user, as JSON.
    public var rawUserInfo: Secret?
    /// Whether the sign-in made the account.
    public var isNewUser: Bool?
    /// Whether another account has the address: the user must sign in to that one first, and link.
    public var needConfirmation: Bool?
    /// How that account signs in.
    public var verifiedProvider: [String]?
    /// Why a link was refused: `FEDERATED_USER_ID_ALREADY_LINKED`, `EMAIL_EXISTS`.
    public var errorMessage: String?
    /// Stands for the credential in a later call.
    public var pendingToken: Secret?
    /// The identity provider's ID token.
    public var oauthIdToken: Secret?
    /// The identity provider's access token.
    public var oauthAccessToken: Secret?
    /// The secret of an OAuth 1 access token.
    public var oauthTokenSecret: Secret?
    /// The ID token.
    public var idToken: Secret?
    /// The refresh token.
    public var refreshToken: Secret?
    /// How long the ID token lives, in seconds.
    public var expiresIn: DecimalString?

    /// Answers with nothing but the identity provider's name.
    public init(providerId: String) { self.providerId = providerId }

    /// The credential that the answer tells of.
    package var credential: IdentityCredential {
      var credential = IdentityCredential(providerID: providerId)
      credential.idToken = oauthIdToken
      credential.accessToken = oauthAccessToken
      credential.secret = oauthTokenSecret
      credential.pendingToken = pendingToken
      return credential
    }
  }
}

extension IdentityCredential {
  /// What the protocol sends of it.
  package var postBody: Secret {
    var items = [(name: "providerId", value: providerID)]
    func add(_ name: String, _ value: Secret?) { if let value { items.append((name, value.revealed)) } }
    add("id_token", idToken)
    add("access_token", accessToken)
    add("oauth_token_secret", secret)
    add("nonce", rawNonce)
    add("SAMLResponse", samlResponse)
    if let fullName {
      let name: JSONObject = ["name": .object(["firstName": .string(fullName)])]
      items.append(("user", name.description))
    }
    return Secret(FormEncoding.encode(items))
  }

  /// What the protocol has sent; `nil` where it cannot be read, or names no provider.
  package init?(postBody: Secret) {
    guard let items = FormEncoding.decode(postBody.revealed) else { return nil }
    func value(_ name: String) -> String? {
      items.first { $0.name.isExactly(name) }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }
    guard let provider = value("providerId") else { return nil }
    self.init(providerID: provider)
    idToken = value("id_token").map(Secret.init)
    accessToken = value("access_token").map(Secret.init)
    secret = value("oauth_token_secret").map(Secret.init)
    rawNonce = value("nonce").map(Secret.init)
    samlResponse = value("SAMLResponse").map(Secret.init)
    if let user = value("user"), let name = try? JSONObject(parsing: user.utf8)["name"]?.object {
      let parts = ["firstName", "lastName"].compactMap { name[$0]?.string }.filter { !$0.isEmpty }
      fullName = parts.isEmpty ? nil : parts.joined(separator: " ")
    }
  }
}
