public import GatehouseBase

/// The requirements for a token.
///
/// Names compare as UTF-8 bytes. `iss`, `sub`, `jti`, `exp`, `nbf` and `iat` must have the right type if they are
/// present; `aud`, `azp` and `auth_time` only if a rule uses them, because some servers send other types.
public struct VerificationPolicy: Sendable {
  /// The accepted algorithms; if there are none, no token is accepted.
  public var algorithms: Set<JWSAlgorithm>
  /// The issuers, one of which must be `iss`; `nil` checks nothing, an empty list accepts none.
  public var issuers: [AcceptedIssuer]?
  /// The audiences, one of which `aud` must be or contain; `nil` checks nothing, an empty list accepts none.
  public var audiences: [String]?
  /// The required `azp`; `nil` checks nothing.
  public var authorizedParty: String?
  /// The required `typ`. By default `JWT` if the token has a `typ`: an access token (`at+jwt`) or an event
  /// (`secevent+jwt`, `logout+jwt`) is accepted only by a policy that names its type. If the rule is for `JWT`, a token
  /// whose `events` names an event (RFC 8417 §2.2) is refused as well, whatever its `typ`: `typ` is optional there.
  public var type = TypeRule.ifPresent("JWT")
  /// Further required claims, besides those that the other rules need. A claim that is null is missing.
  public var requiredClaims: [String] = ["exp"]
  /// Whether the token must name the key that signed it, even if there is only one.
  public var requiresKeyID = false
  /// Whether `sub` must be a user ID: 1 to 128 characters.
  public var requiresUserID = false
  /// Whether `exp`, `nbf` and `iat` are compared with the clock. Turn it off only to look at old tokens.
  public var checksTime = true
  /// Whether `auth_time`, if the token has it, must be a time, and with `checksTime` not in the future.
  public var checksAuthenticationTime = false
  /// Whether the token may, must or must not be bound to a key (`cnf`).
  public var binding = BindingRule.any
  /// The required `nonce`: that of this sign-in's authentication request (OpenID Connect Core §3.1.3.7). `nil` checks
  /// nothing. Compared in constant time, and not printed. Set it in a copy of the policy, for the ID token of one
  /// sign-in.
  public var nonce: String? {
    get { hiddenNonce?.revealed }
    set { hiddenNonce = newValue.map(Secret.init) }
  }
  /// The access token that came with the ID token: `at_hash` must be its hash (OpenID Connect Core §3.1.3.8). `nil`
  /// checks nothing: providers need not send `at_hash` from their token endpoint.
  public var accompanyingAccessToken: Secret?
  /// The authorization code that came with the ID token: `c_hash` must be its hash (OpenID Connect Core §3.3.2.10).
  /// `nil` checks nothing.
  public var accompanyingCode: Secret?
  /// The maximum lifetime from `iat` to `exp`; `nil` for any. Requires both claims.
  public var maximumLifetime: Duration?
  /// The maximum time since `iat`; `nil` for any. Requires the claim.
  public var maximumAge: Duration?
  /// The size limits of a token.
  public var limits = TokenLimits.standard
  /// The clocks for calls without a moment.
  public var clocks: any Clocks = SystemClocks()

  /// The single accepted issuer, exactly. `nil` if `issuers` is `nil`, or contains a template or any other number of
  /// issuers. Setting it replaces them.
  public var issuer: String? {
    get {
      guard let issuers, issuers.count == 1, issuers[0].tenant == nil else { return nil }
      return issuers[0].prefix
    }
    set { issuers = newValue.map { [.exactly($0)] } }
  }

  /// The single accepted audience. `nil` if `audiences` is `nil`, or contains any other number of them. Setting it
  /// replaces them.
  public var audience: String? {
    get { audiences?.count == 1 ? audiences?.first : nil }
    set { audiences = newValue.map { [$0] } }
  }

  /// The maximum difference between clocks. Clamped to 0 … `maximumLeeway`.
  public var leeway: Duration {
    get { allowedSkew }
    set { allowedSkew = min(max(newValue, .zero), Self.maximumLeeway) }
  }

  private var allowedSkew = Duration.zero
  /// A `Secret`, so that no printed policy or verifier shows it.
  private var hiddenNonce: Secret?

  /// The default leeway: five seconds.
  ///
  /// Two machines that synchronize their clocks by NTP differ by less: time services let a clock be off by up to two
  /// seconds before they correct it, and those that smear a leap second by half a second more. Without a leeway, a
  /// token that a server with such a clock has just issued is not valid yet. A longer leeway accepts expired tokens for
  /// longer. It is that of the policies for Firebase, too, whose own verifiers differ: none, an option, or five
  /// minutes.
  public static let defaultLeeway = Duration.seconds(5)

  /// The maximum leeway: one minute.
  public static let maximumLeeway = Duration.seconds(60)

  /// Makes a policy that accepts `algorithms`, and checks `issuer` and `audience` unless they are `nil`. `exp` is
  /// required.
  public init(
    algorithms: Set<JWSAlgorithm>, issuer: String? = nil, audience: String? = nil,
    leeway: Duration = VerificationPolicy.defaultLeeway
  ) {
    self.init(
      algorithms: algorithms, issuers: issuer.map { [.exactly($0)] }, audiences: audience.map { [$0] }, leeway: leeway)
  }

  /// Makes a policy that accepts `algorithms`, any of the issuers and any of the audiences: `nil` checks nothing, an
  /// empty list accepts none. `exp` is required.
  public init(
    algorithms: Set<JWSAlgorithm>, issuers: [AcceptedIssuer]?, audiences: [String]?,
    leeway: Duration = VerificationPolicy.defaultLeeway
  ) {
    self.algorithms = algorithms
    self.issuers = issuers
    self.audiences = audiences
    self.leeway = leeway
  }
}

// MARK: Ready-made policies

extension VerificationPolicy {
  /// For Firebase's ID tokens of a project: RS256, its issuer and audience, a user ID, and no times in the future.
  public static func firebaseIDToken(
    project: String, algorithms: Set<JWSAlgorithm> = [.RS256], leeway: Duration = VerificationPolicy.defaultLeeway
  ) -> VerificationPolicy {
    firebase("https://securetoken.google.com/", project, algorithms, leeway)
  }

  /// For Firebase's session cookies of a project: like its ID tokens, from another issuer.
  public static func firebaseSessionCookie(
    project: String, algorithms: Set<JWSAlgorithm> = [.RS256], leeway: Duration = VerificationPolicy.defaultLeeway
  ) -> VerificationPolicy {
    firebase("https://session.firebase.google.com/", project, algorithms, leeway)
  }

  /// For OAuth's bearer tokens at a resource server (RFC 9068): of the type `at+jwt`, with every claim that they must
  /// have, and not bound to a key.
  public static func accessToken(
    issuer: String, audience: String, algorithms: Set<JWSAlgorithm>, leeway: Duration = VerificationPolicy.defaultLeeway
  ) -> VerificationPolicy {
    var policy = VerificationPolicy(algorithms: algorithms, issuer: issuer, audience: audience, leeway: leeway)
    policy.type = .accessToken
    policy.binding = .bearer
    policy.requiredClaims = ["exp", "iat", "sub", "client_id", "jti"]
    return policy
  }

  /// For OAuth's access tokens with a proof (RFC 9449): like `accessToken(issuer:audience:algorithms:leeway:)`, but
  /// bound to a key. Verify the proof next, with a `DPoPVerifier` and `DPoPRequest(method:uri:accessToken:verified:)`.
  public static func boundAccessToken(
    issuer: String, audience: String, algorithms: Set<JWSAlgorithm>, leeway: Duration = VerificationPolicy.defaultLeeway
  ) -> VerificationPolicy {
    var policy = accessToken(issuer: issuer, audience: audience, algorithms: algorithms, leeway: leeway)
    policy.binding = .bound
    return policy
  }

  private static func firebase(
    _ issuer: String, _ project: String, _ algorithms: Set<JWSAlgorithm>, _ leeway: Duration
  ) -> VerificationPolicy {
    var policy = VerificationPolicy(
      algorithms: algorithms, issuer: issuer + project, audience: project, leeway: leeway)
    policy.requiredClaims = ["exp", "iat"]
    policy.requiresKeyID = true
    policy.requiresUserID = true
    policy.checksAuthenticationTime = true
    return policy
  }
}
