import GRDB
import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE
import IdentityToolkit

/// The provider's keys: the latest of the chosen algorithm signs, all of them verify.
///
/// Each key has a row in the database, and the key itself is a file. A home's first key is made once, even when several
/// processes open it at once. A row whose key is missing, or is another one, stops the provider; so does a key without
/// a row. The rows are read once, when the home is opened.
final class SigningKeys: Sendable {
  /// The public halves.
  let published: JWKSet
  private let signer: TokenSigner
  private let verifier: TokenVerifier
  private let customVerifier: TokenVerifier

  /// Reads the keys, and makes the first one. Call with the home's opening lock held.
  init(home: HomeFolder, database: AccountDatabase, options: LocalOptions) throws(AuthError) {
    let rows = try Self.rows(home, database, options)
    var published: [JWK] = []
    var signer: TokenSigner?
    for row in rows {
      guard let algorithm = LocalOptions.Signing(rawValue: row.algorithm)?.algorithm else {
        throw AuthError(.providerDamaged, "the key \(row.keyID) is for an algorithm that this version never uses")
      }
      let key = try row.read(in: home)
      published.append(
        try JWK(.publicKey(key.publicKey), keyID: row.keyID, algorithm: algorithm, use: "sig"))
      if algorithm == options.signing.algorithm {
        signer = try TokenSigner(key: key, algorithm: algorithm, keyID: row.keyID)
      }
    }
    guard let signer else { throw AuthError(.internalError, "no key was made") }
    self.signer = signer
    self.published = try JWKSet(published)
    var policy = VerificationPolicy.firebaseIDToken(
      project: options.projectID, algorithms: Set(LocalOptions.Signing.allCases.map(\.algorithm)))
    policy.issuer = options.issuerName
    policy.requiredClaims.append("auth_time")
    verifier = TokenVerifier(keys: self.published, policy: policy)
    customVerifier = TokenVerifier(keys: self.published, policy: CustomToken.policy(options))
  }

  /// An ID token that says what is known of a session now.
  func idToken(of session: Session, _ options: LocalOptions, at now: Moment) throws(AuthError) -> Secret {
    Secret(try signer.sign(session.claims(options, at: now)))
  }

  /// A token of the provider's own with these claims.
  func sign(_ claims: JSONObject) throws(AuthError) -> String { try signer.sign(claims) }

  /// What a custom token says. Refuses one of another project as `CREDENTIAL_MISMATCH`, any other bad one as
  /// `INVALID_CUSTOM_TOKEN`.
  func customToken(_ token: Secret, at now: Moment) throws(AuthError) -> CustomToken {
    let verified: VerifiedToken
    do throws(AuthError) {
      verified = try customVerifier.verify(token.revealed, at: Double(now.seconds))
    } catch {
      switch error.code {
      case .issuerMismatch, .audienceMismatch: throw AuthError(server: "CREDENTIAL_MISMATCH")
      default: throw AuthError(server: "INVALID_CUSTOM_TOKEN : \(error.message)")
      }
    }
    return try CustomToken(verified)
  }

  /// The user and session of an ID token. Refuses an expired one as `TOKEN_EXPIRED`, any other bad one as
  /// `INVALID_ID_TOKEN`.
  func bearer(of idToken: Secret, at now: Moment) throws(AuthError) -> Bearer {
    let verified: VerifiedToken
    do throws(AuthError) {
      verified = try verifier.verify(idToken.revealed, at: Double(now.seconds))
    } catch {
      throw AuthError(server: error.code == .tokenExpired ? "TOKEN_EXPIRED" : "INVALID_ID_TOKEN")
    }
    guard let uid = verified.subject, let authTime = verified["auth_time"]?.integer,
      let provider = verified["firebase"]?["sign_in_provider"]?.string
    else { throw AuthError(server: "INVALID_ID_TOKEN") }
    let factor = verified["firebase"]?["sign_in_second_factor"]?.string.map {
      UsedFactor(kind: $0, id: verified["firebase"]?["second_factor_identifier"]?.string)
    }
    return Bearer(
      uid: uid, provider: provider, authTime: authTime, session: verified["sid"]?.string, factor: factor, now: now)
  }

  /// The rows of the keys, with one at least for the chosen algorithm.
  private static func rows(
    _ home: HomeFolder, _ database: AccountDatabase, _ options: LocalOptions
  ) throws(AuthError) -> [StoredKey] {
    let now = try Moment(options.clocks.now())
    var rows = try database.read { db in try StoredKey.all(in: db) }
    // A first sign-up that was killed leaves tables, and no key.
    if rows.isEmpty, !options.beginsProvider, try home.keyIDs().isEmpty { throw home.noProvider }
    try home.settleKeys(named: rows.map(\.keyID))
    guard !rows.contains(where: { $0.algorithm == options.signing.rawValue }) else { return rows }
    // The file first, under a name that does not count yet: a row always has its key, and a named key always a row.
    let key = try PrivateKey.generate(options.signing.kind)
    let row = StoredKey(keyID: try key.thumbprint(), algorithm: options.signing.rawValue, createdAt: now.milliseconds)
    try home.writeUnfinishedKey(row.keyID, key)
    try database.write { db in try row.insert(db) }
    try home.finishKey(row.keyID)
    rows.append(row)
    return rows
  }
}

extension LocalOptions.Signing {
  var algorithm: JWSAlgorithm {
    switch self {
    case .rs256: .RS256
    case .es256: .ES256
    }
  }

  fileprivate var kind: KeyType {
    switch self {
    case .rs256: .rsa(bits: 2048)
    case .es256: .p256
    }
  }
}
