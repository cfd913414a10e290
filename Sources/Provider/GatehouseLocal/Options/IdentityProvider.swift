public import GatehouseBase

/// An identity provider whose users may sign in; see `LocalOptions.identityProviders`.
///
/// Its tokens are always checked: an ID token for its signature, issuer, audience, times and nonce; an access token for
/// having been issued to this app.
public struct IdentityProvider: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case openIDConnect(issuers: [String], clientIDs: [String])
    case userInfo(UserInfoEndpoint)
  }

  /// The provider's name in credentials: `google.com`, `oidc.example`.
  public let id: String
  let kind: Kind
  /// The URLs of the provider.
  var urls: [String] {
    switch kind {
    case .openIDConnect(let issuers, _): issuers
    case .userInfo(let endpoint): [endpoint.url]
    }
  }

  /// The app's identifiers at an OpenID Connect provider.
  var clientIDs: [String] { if case .openIDConnect(_, let clientIDs) = kind { clientIDs } else { [] } }

  /// Whether the provider is trusted with verified addresses (`email_verified`). If so, a user with a verified address
  /// signs in to the account that has it. Otherwise that user must sign in the way the account was made, and then link.
  ///
  /// `false` by default, and `true` for Google and Apple. An identity provider that lets its users enter any address
  /// would give them access to every account.
  public var isTrustedWithEmail = false
  /// The time limit for answers of the provider's servers.
  public var timeout: Duration = .seconds(10)

  /// Returns an OpenID Connect provider. Its keys are found by discovery.
  ///
  /// - Parameters:
  ///   - id: the provider's name in credentials: `oidc.` and a name, or one of Firebase's (`microsoft.com`).
  ///   - issuer: the issuer of its ID tokens (`iss`).
  ///   - clientIDs: the app's identifiers at the provider, one of which must be a token's audience.
  public static func openIDConnect(_ id: String, issuer: String, clientIDs: [String]) -> IdentityProvider {
    IdentityProvider(id: id, kind: .openIDConnect(issuers: [issuer], clientIDs: clientIDs))
  }

  /// Google.
  public static func google(clientIDs: [String]) -> IdentityProvider {
    // Google's ID tokens may name the issuer with or without the scheme.
    var provider = IdentityProvider(
      id: "google.com",
      kind: .openIDConnect(issuers: ["https://accounts.google.com", "accounts.google.com"], clientIDs: clientIDs))
    provider.isTrustedWithEmail = true
    return provider
  }

  /// Apple.
  ///
  /// - Parameter clientIDs: the app's bundle identifiers and service identifiers.
  public static func apple(clientIDs: [String]) -> IdentityProvider {
    var provider = openIDConnect("apple.com", issuer: "https://appleid.apple.com", clientIDs: clientIDs)
    provider.isTrustedWithEmail = true
    return provider
  }

  /// Returns an OAuth provider with opaque access tokens, whose users are found through an endpoint.
  public static func userInfo(_ id: String, _ endpoint: UserInfoEndpoint) -> IdentityProvider {
    IdentityProvider(id: id, kind: .userInfo(endpoint))
  }

  /// GitHub.
  public static func gitHub(
    clientID: String, clientSecret: Secret, api: String = "https://api.github.com"
  ) -> IdentityProvider {
    userInfo(
      "github.com",
      UserInfoEndpoint(
        url: "\(api)/user", check: .gitHub(clientID: clientID, clientSecret: clientSecret, api: api),
        members: UserInfoEndpoint.Members(subject: "id", name: "name", picture: "avatar_url", username: "login")))
  }

  /// Facebook.
  public static func facebook(
    appID: String, appSecret: Secret, api: String = "https://graph.facebook.com"
  ) -> IdentityProvider {
    userInfo(
      "facebook.com",
      UserInfoEndpoint(
        url: "\(api)/me?fields=id,name,email", check: .facebook(appID: appID, appSecret: appSecret, api: api),
        members: UserInfoEndpoint.Members(subject: "id")))
  }

  /// X, formerly Twitter, with OAuth 1 tokens.
  public static func twitter(
    consumerKey: String, consumerSecret: Secret, api: String = "https://api.twitter.com"
  ) -> IdentityProvider {
    userInfo(
      "twitter.com",
      UserInfoEndpoint(
        url: "\(api)/1.1/account/verify_credentials.json?include_email=true",
        check: .signedRequest(consumerKey: consumerKey, consumerSecret: consumerSecret),
        members: UserInfoEndpoint.Members(
          subject: "id_str", name: "name", picture: "profile_image_url_https", username: "screen_name")))
  }
}

/// An endpoint that returns the owner of an access token.
public struct UserInfoEndpoint: Sendable, Hashable {
  /// The endpoint's URL.
  public var url: String
  /// The check that a token was issued to this app.
  public var check: AccessTokenCheck
  /// The names of the members in the endpoint's answer.
  public var members: Members

  /// Describes an endpoint.
  public init(url: String, check: AccessTokenCheck, members: Members = Members()) {
    self.url = url
    self.check = check
    self.members = members
  }

  /// The names of the members in an endpoint's answer; by default those of OpenID Connect.
  public struct Members: Sendable, Hashable {
    /// The member with the user's identifier, a text or a whole number.
    public var subject: String
    /// The member with the user's address.
    public var email: String
    /// The member that says whether the address is verified.
    public var emailVerified: String
    /// The member with the display name.
    public var name: String
    /// The member with the picture's URL.
    public var picture: String
    /// The member with the user's name at the provider.
    public var username: String

    /// Makes a set of names.
    public init(
      subject: String = "sub", email: String = "email", emailVerified: String = "email_verified",
      name: String = "name", picture: String = "picture", username: String = "preferred_username"
    ) {
      self.subject = subject
      self.email = email
      self.emailVerified = emailVerified
      self.name = name
      self.picture = picture
      self.username = username
    }
  }
}

/// The check that an access token was issued to this app. Without it, the owner of another app of the same identity
/// provider could sign in as each of that app's users.
public enum AccessTokenCheck: Sendable, Hashable {
  /// Calls an introspection endpoint (RFC 7662), whose answer must name this client.
  case introspection(url: String, clientID: String, clientSecret: Secret)
  /// Asks GitHub whether the token belongs to this app.
  case gitHub(clientID: String, clientSecret: Secret, api: String)
  /// Asks Facebook for the token's app.
  case facebook(appID: String, appSecret: Secret, api: String)
  /// Signs the request with the app's own key (OAuth 1): only a token of this app is accepted.
  case signedRequest(consumerKey: String, consumerSecret: Secret)
  /// Accepts a token of any app. Only for an identity provider without other apps.
  case tokensOfAnyApp
}
