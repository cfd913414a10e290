import FoundationEssentials
import GRDB
import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE
import GatehouseQueues
import IdentityToolkit

/// The provider's keys. The latest key of the chosen algorithm whose `signsFrom` has passed signs; all keys verify.
///
/// Each key has a row in the database and a file. A home's first key is made only once, even if several processes open
/// the home at once. A row whose key file is missing or contains another key stops the provider, as does a key file
/// without a row. The rows are read when the home is opened, at most a second before a token is signed, and when a
/// token names an unknown key, so that rotations by other processes take effect here too.
final class SigningKeys: Sendable {
  let home: HomeFolder
  let database: AccountDatabase
  let rules: TokenRules
  private let held: Lock<KeyRing>
  /// The ID tokens that were verified within the last minute. Facts that can change are checked at each use: the time,
  /// the account and the session.
  private let cache: TokenCache

  /// Reads the keys, and makes the first one if there is none. Call with the home's opening lock held.
  init(home: HomeFolder, database: AccountDatabase, options: LocalOptions) throws(AuthError) {
    self.home = home
    self.database = database
    rules = TokenRules(options)
    let now = try Moment(options.clocks.now())
    let rows = try Self.rows(home, database, rules, beginsProvider: options.beginsProvider, at: now)
    let cache = TokenCache(limits: TokenCache.Limits(bytes: 16 << 20))
    self.cache = cache
    held = Lock(try KeyRing(rows, rules, home, cache, at: now.milliseconds))
  }

  /// Returns the public keys that the database names now.
  func published() throws(AuthError) -> JWKSet { try reread().published }

  /// Returns the keys, rereading them if the last read is more than a second old.
  func ring(at now: Moment) throws(AuthError) -> KeyRing {
    let ring = held.withLock { $0 }
    return abs(now.milliseconds - ring.checkedAt) < 1000 ? ring : try reread(at: now)
  }

  /// Returns the keys that the database names now.
  @discardableResult
  func reread(at now: Moment? = nil) throws(AuthError) -> KeyRing {
    var tries = 0
    while true {
      let rows = try database.read { db in try StoredKey.all(in: db) }
      let same: KeyRing? = held.withLock { ring in
        guard ring.hasKeys(of: rows) else { return nil }
        // The cookies that a key has signed change its row, but not its use.
        (ring.rows, ring.checkedAt) = (rows, now?.milliseconds ?? ring.checkedAt)
        return ring
      }
      if let same { return same }
      do throws(AuthError) {
        let ring = try KeyRing(rows, rules, home, cache, at: now?.milliseconds ?? 0)
        held.withLock { $0 = ring }
        return ring
      } catch {
        // Another process may have removed a key meanwhile; then its row has changed as well.
        tries += 1
        guard tries < 3, error.code == .providerDamaged else { throw error }
      }
    }
  }

  /// Makes an ID token with the current data of a session.
  func idToken(of session: Session, _ options: LocalOptions, at now: Moment) throws(AuthError) -> Secret {
    let claims = session.claims(options, at: now)
    return Secret(rules.signsTokens ? try sign(claims, at: now) : claims.unsigned)
  }

  /// Signs a token of the provider with these claims.
  func sign(_ claims: JSONObject, type: String = "JWT", at now: Moment) throws(AuthError) -> String {
    try typed { try ring(at: now).signer(at: now).signer.sign(claims, type: type) }
  }

  /// Returns the claims of a token without a signature; `nil` for a signed one, and if all must be signed.
  private func unsigned(
    _ token: String, _ policy: VerificationPolicy, at now: Moment
  ) throws(AuthError) -> VerifiedToken? {
    guard !rules.signsTokens, token.utf8.last == UInt8(ascii: ".") else { return nil }
    return try VerifiedToken(typed { try UnsecuredToken(token) }, policy, at: Double(now.seconds))
  }

  /// Verifies a session cookie.
  func verified(cookie: String, at now: Moment) throws(AuthError) -> VerifiedToken {
    if let unsigned = try unsigned(cookie, rules.sessionCookie, at: now) { return unsigned }
    return try verify(cookie, by: { $0.cookieVerifier }, at: now)
  }

  /// Verifies a token. If its key is unknown, the keys are reread, because the key may be new.
  func verify(
    _ token: String, by verifier: (KeyRing) -> TokenVerifier, at now: Moment
  ) throws(AuthError) -> VerifiedToken {
    try rereading(at: now) { ring throws(AuthError) in try verifier(ring).verify(token, at: Double(now.seconds)) }
  }

  private func rereading(
    at now: Moment, _ verify: (KeyRing) throws(AuthError) -> VerifiedToken
  ) throws(AuthError) -> VerifiedToken {
    do throws(AuthError) { return try verify(try ring(at: now)) } catch {
      guard error.code == .unknownKey else { throw error }
      return try verify(try reread(at: now))
    }
  }

  /// Returns the contents of a custom token. Refuses a token of another project as `CREDENTIAL_MISMATCH`, and any other
  /// invalid token as `INVALID_CUSTOM_TOKEN`.
  func customToken(_ token: Secret, at now: Moment) throws(AuthError) -> CustomToken {
    let verified: VerifiedToken
    do throws(AuthError) {
      verified = try verify(token.revealed, by: { $0.customVerifier }, at: now)
    } catch { throw CustomToken.refusal(error) }
    return try CustomToken(verified)
  }

  /// Returns the user and session of an ID token. Refuses an expired token as `TOKEN_EXPIRED`, and any other invalid
  /// token as `INVALID_ID_TOKEN`.
  func bearer(of idToken: Secret, at now: Moment) throws(AuthError) -> Bearer {
    try bearer(of: verified(idToken, at: now), at: now)
  }

  /// Verifies an ID token.
  func verified(_ idToken: Secret, at now: Moment) throws(AuthError) -> VerifiedToken {
    do throws(AuthError) {
      if let unsigned = try unsigned(idToken.revealed, rules.idToken, at: now) { return unsigned }
      return try rereading(at: now) { ring throws(AuthError) in
        guard let boot = now.boot else {
          return try typed { try ring.verifier.verifier.verify(idToken.revealed, at: Date(wall: Double(now.seconds))) }
        }
        let reading = ClockReading(wall: Double(now.seconds), boot: boot, bootID: "")
        return try ring.verifier.verify(idToken.revealed, at: reading)
      }
    } catch {
      switch error.code {
      case .providerUnavailable, .providerDamaged: throw error
      default: throw AuthError(server: error.code == .tokenExpired ? .tokenExpired : .invalidIDToken)
      }
    }
  }

  /// Returns the user and session that a verified ID token or session cookie names. Refuses one that names no session:
  /// it would outlive all of them. The provider makes none, but an unsigned token may be anyone's.
  func bearer(of verified: VerifiedToken, at now: Moment) throws(AuthError) -> Bearer {
    guard let uid = verified.subject, let authTime = verified["auth_time"]?.integer,
      let provider = verified["firebase"]?["sign_in_provider"]?.string, let session = verified["sid"]?.string
    else { throw AuthError(server: .invalidIDToken) }
    let factor = verified["firebase"]?["sign_in_second_factor"]?.string.map {
      UsedFactor(kind: $0, id: verified["firebase"]?["second_factor_identifier"]?.string)
    }
    return Bearer(
      uid: uid, tenant: verified["firebase"]?["tenant"]?.string ?? "", provider: provider, authTime: authTime,
      session: session, factor: factor, now: now)
  }

  /// Returns the key rows, with at least one for the chosen algorithm.
  private static func rows(
    _ home: HomeFolder, _ database: AccountDatabase, _ rules: TokenRules, beginsProvider: Bool, at now: Moment
  ) throws(AuthError) -> [StoredKey] {
    var rows = try database.read { db in try StoredKey.all(in: db) }
    // A first sign-up that was killed leaves tables, but no key.
    if rows.isEmpty, !beginsProvider, try home.keyIDs().isEmpty { throw home.noProvider }
    try home.settleKeys(named: rows.present.map(\.keyID), leaving: rows.filter(\.removing).map(\.keyID))
    let algorithm = rules.signing.rawValue
    guard rows.present.contains(where: { $0.algorithm == algorithm }) else {
      rows.append(try make(home, database, rules, signingFrom: now.seconds, at: now))
      return rows
    }
    return try lengthened(rows, database, rules, at: now)
  }

  /// Returns the rows, updated for the lifetime of the tokens that this process makes.
  private static func lengthened(
    _ rows: [StoredKey], _ database: AccountDatabase, _ rules: TokenRules, at now: Moment
  ) throws(AuthError) -> [StoredKey] {
    let isShort = rows.present.contains { row in
      row.algorithm == rules.signing.rawValue && row.tokenSeconds < rules.tokenSeconds
        && rows.retirement(of: row).map { $0 > now.seconds } ?? true
    }
    guard isShort else { return rows }
    return try database.write { db in
      try db.execute(
        sql: "UPDATE signingKey SET tokenSeconds = ? WHERE tokenSeconds < ? AND algorithm = ?",
        arguments: [rules.tokenSeconds, rules.tokenSeconds, rules.signing.rawValue])
      return try StoredKey.all(in: db)
    }
  }

  /// Makes a key. Call with the home's opening lock held.
  static func make(
    _ home: HomeFolder, _ database: AccountDatabase, _ rules: TokenRules, signingFrom: Int64, at now: Moment,
    recording record: (StoredKey) throws -> Void = { _ in }
  ) throws(AuthError) -> StoredKey {
    // The file comes first, under an unfinished name: a row always has its key, and a key with its final name always
    // has a row.
    let key = try typed { try PrivateKey.generate(rules.signing.kind) }
    let row = StoredKey(
      keyID: try key.thumbprint(), algorithm: rules.signing.rawValue, createdAt: now.milliseconds,
      signsFrom: signingFrom, tokenSeconds: rules.tokenSeconds)
    try home.writeUnfinishedKey(row.keyID, key)
    try database.write { db in
      try row.insert(db)
      try record(row)
    }
    try home.finishKey(row.keyID)
    return row
  }
}

extension JSONObject {
  /// A token with these claims and without a signature (RFC 7519, section 6).
  var unsigned: String {
    "\(Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))).\(Base64URL.encode(serialized()))."
  }
}
