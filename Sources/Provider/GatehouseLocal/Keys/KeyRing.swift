import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE

/// The provider's keys as they were when the database was asked: all of them verify, one of them signs.
struct KeyRing: Sendable {
  var rows: [StoredKey]
  /// When the database was asked, in milliseconds since 1970.
  var checkedAt: Int64
  /// The public halves.
  let published: JWKSet
  let verifier: TokenVerifier
  let customVerifier: TokenVerifier
  let cookieVerifier: TokenVerifier
  let accessVerifier: TokenVerifier
  private let signing: LocalOptions.Signing
  /// By the key's name; those of the chosen algorithm.
  private let signers: [String: TokenSigner]

  /// Reads the keys of the rows, which were read at a moment, in milliseconds since 1970.
  init(_ rows: [StoredKey], _ rules: TokenRules, _ home: HomeFolder, at checkedAt: Int64) throws(AuthError) {
    self.rows = rows
    self.checkedAt = checkedAt
    signing = rules.signing
    var keys: [JWK] = []
    var signers: [String: TokenSigner] = [:]
    for row in rows.present {
      guard let algorithm = LocalOptions.Signing(rawValue: row.algorithm)?.algorithm else {
        throw AuthError(.providerDamaged, "the key \(row.keyID) is for an algorithm that this version never uses")
      }
      let key = try home.readNamedKey(row.keyID)
      keys.append(try JWK(.publicKey(key.publicKey), keyID: row.keyID, algorithm: algorithm, use: "sig"))
      guard algorithm == rules.signing.algorithm else { continue }
      signers[row.keyID] = try TokenSigner(key: key, algorithm: algorithm, keyID: row.keyID)
    }
    self.signers = signers
    published = try JWKSet(keys)
    verifier = TokenVerifier(keys: published, policy: rules.idToken)
    customVerifier = TokenVerifier(keys: published, policy: rules.customToken)
    cookieVerifier = TokenVerifier(keys: published, policy: rules.sessionCookie)
    accessVerifier = TokenVerifier(keys: published, policy: rules.accessToken)
  }

  /// Whether rows name these keys, for the same use.
  func hasKeys(of others: [StoredKey]) -> Bool {
    rows.elementsEqual(others) { left, right in
      left.keyID.isExactly(right.keyID) && left.signsFrom == right.signsFrom && left.removing == right.removing
    }
  }

  /// The key that signs at a moment, and its name.
  func signer(at now: Moment) throws(AuthError) -> (keyID: String, signer: TokenSigner) {
    guard let row = rows.signing(signing.rawValue, at: now), let signer = signers[row.keyID] else {
      throw AuthError(.internalError, "no key was made")
    }
    return (row.keyID, signer)
  }
}

/// What tokens of the provider must be.
struct TokenRules: Sendable {
  let signing: LocalOptions.Signing
  let idToken: VerificationPolicy
  let customToken: VerificationPolicy
  let sessionCookie: VerificationPolicy
  let accessToken: VerificationPolicy
  /// The longest lifetime of what is signed, in seconds: session cookies aside.
  let tokenSeconds: Int64

  init(_ options: LocalOptions) {
    signing = options.signing
    tokenSeconds = max(options.tokenSeconds, CustomToken.lifetime, AccessToken.lifetime)
    let algorithms = Set(LocalOptions.Signing.allCases.map(\.algorithm))
    var policy = VerificationPolicy.firebaseIDToken(project: options.projectID, algorithms: algorithms)
    policy.issuer = options.issuerName
    policy.requiredClaims.append("auth_time")
    idToken = policy
    customToken = CustomToken.policy(options)
    var cookie = VerificationPolicy.firebaseSessionCookie(project: options.projectID, algorithms: algorithms)
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
