public import GatehouseBase

/// What a token must be to be accepted.
///
/// Names compare as UTF-8 bytes. Claims that are present must be of the right type whether the policy asks for them
/// or not.
public struct VerificationPolicy: Sendable {
  /// The algorithms that are accepted; with none, no token is.
  public var algorithms: Set<JWSAlgorithm>
  /// What `iss` must be; `nil` asks for nothing.
  public var issuer: String?
  /// What `aud` must be or contain; `nil` asks for nothing.
  public var audience: String?
  /// What `azp` must be; `nil` asks for nothing.
  public var authorizedParty: String?
  /// What `typ` must be.
  public var type = TypeRule.ifPresent("JWT")
  /// Claims that must be there, besides those that the other rules ask for.
  public var requiredClaims: [String] = ["exp"]
  /// Whether the token must say which key signed it, even if there is only one.
  public var requiresKeyID = false
  /// Whether `sub` must be a user's identifier: 1 to 128 characters.
  public var requiresUserID = false
  /// Whether `exp`, `nbf`, `iat` and `auth_time` are compared with the clock. Off only to look at old tokens.
  public var checksTime = true
  /// The longest lifetime from `iat` to `exp`; `nil` for any. Requires both claims.
  public var maximumLifetime: Duration?
  /// The longest time since `iat`; `nil` for any. Requires the claim.
  public var maximumAge: Duration?
  /// How large a token may be.
  public var limits = TokenLimits.standard
  /// The clocks for calls without a moment.
  public var clocks: any Clocks = SystemClocks()

  /// How far clocks may differ. Clamped to 0 … `maximumLeeway`.
  public var leeway: Duration {
    get { allowedSkew }
    set { allowedSkew = min(max(newValue, .zero), Self.maximumLeeway) }
  }

  private var allowedSkew = Duration.zero

  /// The largest leeway: one minute.
  public static let maximumLeeway = Duration.seconds(60)

  /// A policy that accepts `algorithms`, and checks `issuer` and `audience` unless they are `nil`. `exp` is required.
  public init(
    algorithms: Set<JWSAlgorithm>, issuer: String? = nil, audience: String? = nil, leeway: Duration = .zero
  ) {
    self.algorithms = algorithms
    self.issuer = issuer
    self.audience = audience
    self.leeway = leeway
  }
}

// MARK: Ready-made policies

extension VerificationPolicy {
  /// Firebase's ID tokens of a project: RS256, its issuer and audience, a user's identifier, and no moment in the
  /// future.
  public static func firebaseIDToken(
    project: String, algorithms: Set<JWSAlgorithm> = [.RS256], leeway: Duration = .zero
  ) -> VerificationPolicy {
    firebase("https://securetoken.google.com/", project, algorithms, leeway)
  }

  /// Firebase's session cookies of a project: as its ID tokens, from another issuer.
  public static func firebaseSessionCookie(
    project: String, algorithms: Set<JWSAlgorithm> = [.RS256], leeway: Duration = .zero
  ) -> VerificationPolicy {
    firebase("https://session.firebase.google.com/", project, algorithms, leeway)
  }

  /// OAuth's access tokens for a resource server (RFC 9068): of the type `at+jwt`, with every claim that they must
  /// have.
  public static func accessToken(
    issuer: String, audience: String, algorithms: Set<JWSAlgorithm>, leeway: Duration = .zero
  ) -> VerificationPolicy {
    var policy = VerificationPolicy(algorithms: algorithms, issuer: issuer, audience: audience, leeway: leeway)
    policy.type = .accessToken
    policy.requiredClaims = ["exp", "iat", "sub", "client_id", "jti"]
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
    return policy
  }
}
