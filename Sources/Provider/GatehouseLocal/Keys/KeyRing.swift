import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE

/// The provider's keys at the time of the last database read: all of them verify, one of them signs.
struct KeyRing: Sendable {
  var rows: [StoredKey]
  /// The time of the last database read, in milliseconds since 1970.
  var checkedAt: Int64
  /// One object, because every call copies the ring.
  private let keys: ReadKeys

  /// Reads the keys of the rows, which were read at a time in milliseconds since 1970.
  ///
  /// - Parameter cache: caches valid ID tokens. Tokens that were signed with other keys are not found in it.
  init(
    _ rows: [StoredKey], _ rules: TokenRules, _ home: HomeFolder, _ cache: TokenCache, at checkedAt: Int64
  ) throws(AuthError) {
    self.rows = rows
    self.checkedAt = checkedAt
    keys = try ReadKeys(rows, rules, home, cache)
  }

  /// The public keys.
  var published: JWKSet { keys.published }
  /// Verifies ID tokens.
  var verifier: CachedTokenVerifier { keys.verifier }
  var customVerifier: TokenVerifier { keys.customVerifier }
  var cookieVerifier: TokenVerifier { keys.cookieVerifier }
  var accessVerifier: TokenVerifier { keys.accessVerifier }

  /// Whether the rows name the same keys for the same use.
  func hasKeys(of others: [StoredKey]) -> Bool {
    rows.elementsEqual(others) { left, right in
      left.keyID.isExactly(right.keyID) && left.signsFrom == right.signsFrom && left.removing == right.removing
    }
  }

  /// Returns the key that signs at a moment, and its ID.
  func signer(at now: Moment) throws(AuthError) -> (keyID: String, signer: TokenSigner) {
    guard let row = rows.signing(keys.signing.rawValue, at: now), let signer = keys.signers[ExactText(row.keyID)] else {
      throw AuthError(.internalError, "no key was made")
    }
    return (row.keyID, signer)
  }
}

/// The keys, and their signers and verifiers.
private final class ReadKeys: Sendable {
  let published: JWKSet
  let verifier: CachedTokenVerifier
  let customVerifier: TokenVerifier
  let cookieVerifier: TokenVerifier
  let accessVerifier: TokenVerifier
  let signing: LocalOptions.Signing
  /// The signers of the chosen algorithm, by key ID.
  let signers: [ExactText: TokenSigner]

  init(_ rows: [StoredKey], _ rules: TokenRules, _ home: HomeFolder, _ cache: TokenCache) throws(AuthError) {
    signing = rules.signing
    var keys: [JWK] = []
    var signers: [ExactText: TokenSigner] = [:]
    for row in rows.present {
      guard let algorithm = LocalOptions.Signing(rawValue: row.algorithm)?.algorithm else {
        throw AuthError(.providerDamaged, "the key \(row.keyID) is for an algorithm that this version never uses")
      }
      let key = try home.readNamedKey(row.keyID)
      keys.append(try typed { try JWK(.publicKey(key.publicKey), keyID: row.keyID, algorithm: algorithm, use: "sig") })
      guard algorithm == rules.signing.algorithm else { continue }
      signers[ExactText(row.keyID)] = try typed { try TokenSigner(key: key, algorithm: algorithm, keyID: row.keyID) }
    }
    self.signers = signers
    let published = try typed { try JWKSet(keys) }
    self.published = published
    verifier = try typed {
      try CachedTokenVerifier(TokenVerifier(keys: published, policy: rules.idToken), cache: cache)
    }
    customVerifier = TokenVerifier(keys: published, policy: rules.customToken)
    cookieVerifier = TokenVerifier(keys: published, policy: rules.sessionCookie)
    accessVerifier = TokenVerifier(keys: published, policy: rules.accessToken)
  }
}

/// The requirements for the provider's tokens.
struct TokenRules: Sendable {
  let signing: LocalOptions.Signing
  /// Whether ID tokens and session cookies are signed. If not, both kinds are accepted.
  let signsTokens: Bool
  let idToken: VerificationPolicy
  let customToken: VerificationPolicy
  let sessionCookie: VerificationPolicy
  let accessToken: VerificationPolicy
  /// The longest lifetime of signed tokens, except for session cookies, in seconds.
  let tokenSeconds: Int64

  init(_ options: LocalOptions) {
    signing = options.signing
    signsTokens = options.signsTokens
    tokenSeconds = max(options.tokenSeconds, CustomToken.lifetime, AccessToken.lifetime)
    let algorithms = Set(LocalOptions.Signing.allCases.map(\.algorithm))
    var policy = VerificationPolicy.firebaseIDToken(project: options.projectID, algorithms: algorithms, leeway: .zero)
    policy.issuer = options.issuerName
    policy.requiredClaims.append("auth_time")
    idToken = policy
    customToken = CustomToken.policy(options)
    var cookie = VerificationPolicy.firebaseSessionCookie(
      project: options.projectID, algorithms: algorithms, leeway: .zero)
    cookie.requiredClaims.append("auth_time")
    sessionCookie = cookie
    accessToken = AccessToken.policy(options)
  }
}

extension LocalOptions.Signing {
  var algorithm: JWSAlgorithm {
    switch self {
    case .rs256: .RS256
    case .es256: .ES256
    }
  }

  var kind: KeyType {
    switch self {
    case .rs256: .rsa(bits: 2048)
    case .es256: .p256
    }
  }
}
