public import GatehouseBase

/// An identity provider whose users may sign in here: `LocalOptions.identityProviders`.
///
/// What it gives is always checked: an ID token's signature, issuer, audience, times and nonce; of an access token that
/// it was given to this app.
public struct IdentityProvider: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case openIDConnect(issuers: [String], clientIDs: [String])
    case userInfo(UserInfoEndpoint)
  }

  /// Its name in credentials: `google.com`, `oidc.example`.
  public let id: String
  let kind: Kind
  /// Whether its word that an address is verified (`email_verified`) is enough: then a user with that address signs in
  /// to the account that has it. Without it that user must sign in the way the account was made, and link.
  ///
  /// Off unless set otherwise, and on for Google and Apple. An identity provider that lets its users write any address
  /// would give them everybody's account.
  public var isTrustedWithEmail = false
  /// How long its servers may take to answer.
  public var timeout: Duration = .seconds(10)

  /// An OpenID Connect provider. Its keys are found by discovery.
  ///
  /// - Parameters:
  ///   - id: its name in credentials: `oidc.` and a name, or one of Firebase's (`microsoft.com`).
  ///   - issuer: the issuer of its ID tokens (`iss`).
  ///   - clientIDs: the app's identifiers there, one of which must be a token's audience.
  public static func openIDConnect(_ id: String, issuer: String, clientIDs: [String]) -> IdentityProvider {
    IdentityProvider(id: id, kind: .openIDConnect(issuers: [issuer], clientIDs: clientIDs))
  }

  /// Google.
  public static func google(clientIDs: [String]) -> IdentityProvider {
    // Its ID tokens may name the issuer with or without the scheme.
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

  /// An OAuth provider whose access tokens are opaque, and whose users are told by an endpoint.
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

/// Where a provider tells who the owner of an access token is.
public struct UserInfoEndpoint: Sendable, Hashable {
  /// Its address.
  public var url: String
  /// How it is found out that a token was given to this app.
  public var check: AccessTokenCheck
  /// Where the answer says what.
  public var members: Members

  /// Describes an endpoint.
  public init(url: String, check: AccessTokenCheck, members: Members = Members()) {
    self.url = url
    self.check = check
    self.members = members
  }

  /// The names of members of an endpoint's answer; by default OpenID Connect's.
  public struct Members: Sendable, Hashable {
    /// The user's identifier, a text or a whole number.
    public var subject: String
    /// The user's address.
    public var email: String
    /// Whether that is verified.
    public var emailVerified: String
    /// The name to show.
    public var name: String
    /// The picture's address.
    public var picture: String
    /// The name that the user has there.
    public var username: String

    /// Names the members.
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

/// How it is found out that an access token was given to this app. Without that, the owner of another app with the same
/// identity provider could sign in here as each of its users.
public enum AccessTokenCheck: Sendable, Hashable {
  /// Asks an introspection endpoint (RFC 7662), whose answer must name this client.
  case introspection(url: String, clientID: String, clientSecret: Secret)
  /// Asks GitHub for a token of this app.
  case gitHub(clientID: String, clientSecret: Secret, api: String)
  /// Asks Facebook for the app of a token.
  case facebook(appID: String, appSecret: Secret, api: String)
  /// Signs the question with the app's own key (OAuth 1): only a token of this app is answered for.
  case signedRequest(consumerKey: String, consumerSecret: Secret)
  /// Takes a token of any app: only for an identity provider that has no other app.
  case tokensOfAnyApp
}
