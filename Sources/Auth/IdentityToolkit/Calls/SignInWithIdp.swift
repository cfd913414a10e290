public import GatehouseBase

/// Signs in with the token of another identity provider: an ID token, an access token or a SAML response. With an ID
/// token of the project, links that identity to the token's account instead.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signInWithIdp
public struct SignInWithIdp: TenantCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:signInWithIdp"

  /// The URL to which the identity provider sent the user; any URL of the app.
  public var requestUri = "http://localhost"
  /// The identity provider's tokens, as a query: `providerId`, `id_token`, `access_token`, …
  public var postBody: Secret?
  /// The `pendingToken` of an earlier answer, instead of `postBody`.
  public var pendingToken: Secret?
  /// The ID token of the account to link to; `nil` signs in.
  public var idToken: Secret?
  /// Whether an account may be created. `true` by default.
  public var autoCreate = true
  /// The tenant; see `TenantCall`.
  public var tenantId: String?
  /// Whether a refusal contains the credential: always `true` here.
  public var returnIdpCredential = true
  /// Whether to return tokens: always `true` here.
  public var returnSecureToken = true

  /// Makes a request for a sign-in or a link.
  ///
  /// - Parameters:
  ///   - credential: the identity provider's tokens.
  ///   - idToken: the ID token of the account to link to; `nil` signs in.
  public init(_ credential: IdentityCredential, linkingTo idToken: Secret? = nil) {
    if let pending = credential.pendingToken { pendingToken = pending } else { postBody = credential.postBody }
    self.idToken = idToken
  }

  /// The credential in `postBody`; `nil` if it cannot be read, or names no provider.
  package var credential: IdentityCredential? { postBody.flatMap { IdentityCredential(postBody: $0) } }

  /// The credential in the query of `requestUri`, where the page of an emulator writes it; `nil` with a `postBody`, and
  /// if it cannot be read, or names no provider.
  package var credentialInRequestURI: IdentityCredential? {
    guard postBody?.revealed.isEmpty ?? true else { return nil }
    let query = requestUri.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
    return IdentityCredential(postBody: Secret(String(query)))
  }

  /// The response: the user and their tokens, or the reason why there are none, with the credential.
  public struct Response: Codable, Sendable, Hashable {
    /// The identity provider.
    public var providerId: String
    /// The user's identifier at that provider, as a URL.
    public var federatedId: String?
    /// The user's identifier in the project; `nil` if the sign-in was refused.
    public var localId: String?
    /// The user's address at the identity provider.
    public var email: String?
    /// Whether the account's address is verified.
    public var emailVerified: Bool?
    /// The user's display name.
    public var displayName: String?
    /// The picture's address.
    public var photoUrl: String?
    /// The user's name at the identity provider, from GitHub or X.
    public var screenName: String?
    /// Everything that the identity provider reported about the user, as JSON.
    public var rawUserInfo: Secret?
    /// Whether the sign-in created the account.
    public var isNewUser: Bool?
    /// Whether another account has the address. The user must sign in to that account first, and then link.
    public var needConfirmation: Bool?
    /// The sign-in methods of that account.
    public var verifiedProvider: [String]?
    /// The reason why a link was refused: `FEDERATED_USER_ID_ALREADY_LINKED`, `EMAIL_EXISTS`.
    public var errorMessage: String?
    /// The token that represents the credential in a later call.
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
    /// The lifetime of the ID token, in seconds.
    public var expiresIn: DecimalString?

    /// Makes a response that has only the identity provider's name.
    public init(providerId: String) { self.providerId = providerId }

    /// The credential in the response.
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
  /// The credential in the protocol's form.
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

  /// Reads a credential in the protocol's form; `nil` if it cannot be read, or names no provider.
  package init?(postBody: Secret) {
    guard let items = try? FormEncoding.decode(postBody.revealed, limits: JSONLimits(bytes: .max)),
      Set(items.map { Array($0.name.utf8) }).count == items.count
    else { return nil }
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
    if let user = value("user"), let name = try? JSONObject(reading: user.utf8)["name"]?.object {
      let parts = ["firstName", "lastName"].compactMap { name[$0]?.string }.filter { !$0.isEmpty }
      fullName = parts.isEmpty ? nil : parts.joined(separator: " ")
    }
  }
}
