import GRDB
import GatehouseBase
import IdentityToolkit

/// A row for a refresh token: its hash, and the sign-in that it belongs to.
struct StoredRefreshToken: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "refreshToken"

  enum State: String, Codable, Sendable {
    case valid
    /// Exchanged for a newer token, if tokens rotate.
    case spent
    case revoked
  }

  var hash: String
  var uid: String
  /// The identifier of the sign-in. The tokens that rotation derives from one another share it.
  var session: String
  /// The sign-in method: `password`, `anonymous`.
  var provider: String
  /// The time of the sign-in in tokens, in seconds since 1970.
  var authTime: Int64
  var state = State.valid
  /// The claims of a custom token, as JSON.
  var claims: String?
  /// The second factor of the sign-in: its kind, and then its identifier.
  var factor: String?
  var factorID: String?
  /// The number of rotations of the session.
  var generation: Int64 = 0
  /// The time at which the token was spent or revoked, in seconds since 1970; also `nil` until `Pruning` has recorded
  /// it.
  var endedAt: Int64?
  /// For a session that replaced another one, the time of the sign-in, in seconds since 1970; otherwise `nil`.
  var signedInAt: Int64?
  /// The hash of the network from which the user has signed in. Only written, and counted by statements: the most
  /// frequent statements do not read it.
  var network: String?

  /// The minimum number of spent tokens of a session that are kept. An older token is refused like one that was never
  /// issued.
  static let spentMemory: Int64 = 16

  /// The maximum number of sessions of an account that are kept, including those that are over.
  static let mostSessions = 1000

  /// Returns the row of a token that a client sent, with its account, by one statement; refuses a token that was never
  /// issued.
  ///
  /// - Returns: the row; the account, if it still exists; and whether it has identities of identity providers.
  static func requireWithAccount(
    _ sent: RefreshToken, in db: Database
  ) throws -> (row: StoredRefreshToken, account: StoredAccount?, hasIdentities: Bool) {
    let found = try db.row(withAccount, [sent.hash]) { row in
      // The account's identifier is null if there is no account.
      let uid: String? = try row[columnCount]
      let account = uid == nil ? nil : try StoredAccount(columns: row, from: columnCount)
      return (try StoredRefreshToken(columns: row), account, try row.flag(columnCount + StoredAccount.columnCount))
    }
    guard let found else { throw AuthError(server: .invalidRefreshToken) }
    return found
  }

  private static let withAccount = """
    SELECT \(columns), \(StoredAccount.columns), EXISTS (SELECT 1 FROM identity WHERE identity.uid = refreshToken.uid)
    FROM refreshToken LEFT JOIN account ON account.uid = refreshToken.uid WHERE refreshToken.hash = ?
    """

  /// Returns the row of a token that a client sent; refuses a token that was never issued.
  static func require(_ sent: RefreshToken, in db: Database) throws -> StoredRefreshToken {
    guard let found = try find(sent, in: db) else { throw AuthError(server: .invalidRefreshToken) }
    return found
  }

  /// Returns the row of a token; `nil` if there is none.
  static func find(_ token: RefreshToken, in db: Database) throws -> StoredRefreshToken? {
    try first("SELECT * FROM refreshToken WHERE hash = ?", [token.hash], in: db)
  }

  /// Makes the account's sessions that have shown a second factor ones that have shown none.
  static func forgetFactor(_ id: String, of uid: String, in db: Database) throws {
    try db.change("UPDATE refreshToken SET factor = NULL, factorID = NULL WHERE uid = ? AND factorID = ?", [uid, id])
  }

  /// Marks the token as spent, and stores the token that replaces it.
  mutating func rotate(to next: RefreshToken, at now: Moment, in db: Database) throws {
    let spent = hash
    try db.change("UPDATE refreshToken SET state = 'spent', endedAt = ? WHERE hash = ?", [now.seconds, spent])
    hash = next.hash
    generation += 1
    try db.change(
      """
      INSERT INTO refreshToken
        (hash, uid, session, provider, authTime, state, claims, factor, factorID, generation, endedAt, signedInAt,
         network)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT network FROM refreshToken WHERE hash = ?))
      """,
      [
        hash, uid, session, provider, authTime, State.valid.rawValue, claims, factor, factorID, generation, Int64?.none,
        signedInAt, spent,
      ])
    // Not at every rotation: one statement that finds many rows costs less than many statements.
    guard generation % Self.spentMemory == 0 else { return }
    try db.change(
      "DELETE FROM refreshToken WHERE session = ? AND state = 'spent' AND generation < ?",
      [session, generation - Self.spentMemory])
  }

  /// Whether a sign-in has a valid refresh token.
  static func isLive(session: String, of uid: String, in db: Database) throws -> Bool {
    try db.finds("SELECT 1 FROM refreshToken WHERE session = ? AND uid = ? AND state = 'valid'", [session, uid])
  }

  /// Whether a sign-in of an account is not over: neither by itself nor together with all earlier ones.
  static func isLive(session: String, of account: StoredAccount, in db: Database) throws -> Bool {
    try db.finds(
      "SELECT 1 FROM refreshToken WHERE session = ? AND uid = ? AND state = 'valid' AND authTime >= ?",
      [session, account.uid, account.validSince])
  }

  /// Returns the active sessions of an account, one row for each, in the order of their sign-ins.
  static func live(of account: StoredAccount, in db: Database) throws -> [StoredRefreshToken] {
    try every(
      """
      SELECT * FROM refreshToken WHERE uid = ? AND state = 'valid' AND authTime >= ?
      GROUP BY session ORDER BY authTime, session
      """, [account.uid, account.validSince], in: db)
  }

  /// Removes an account's sessions beyond `mostSessions`: the oldest of those that are over, and then the oldest ones
  /// of the network that has the most (decision 150). Their tokens are refused like ones that were never issued.
  ///
  /// - Parameter session: the session that has just begun, which stays.
  static func removeExcess(of uid: String, besides session: String, in db: Database) throws {
    let count = try Int.fetchOne(
      db, sql: "SELECT count(*) FROM refreshToken WHERE uid = ? AND state != 'spent'", arguments: [uid])
    let excess = (count ?? 0) - mostSessions
    guard excess > 0 else { return }
    try db.change(
      """
      WITH widest (network) AS
        (SELECT network FROM refreshToken WHERE uid = ?1 AND state != 'spent'
         GROUP BY network ORDER BY count(*) DESC, network LIMIT 1)
      DELETE FROM refreshToken WHERE session IN
        (SELECT session FROM refreshToken WHERE uid = ?1 AND state != 'spent' AND session != ?2
         ORDER BY state = 'valid', network IS NOT (SELECT network FROM widest), authTime, session LIMIT ?3)
      """, [uid, session, excess])
  }

  /// Ends one session of an account. Another account's session is not affected.
  static func revoke(session: String, of uid: String, in db: Database) throws {
    try db.change("UPDATE refreshToken SET state = 'revoked' WHERE session = ? AND uid = ?", [session, uid])
  }

  static func revokeAll(of uid: String, in db: Database) throws {
    try db.change("UPDATE refreshToken SET state = 'revoked' WHERE uid = ?", [uid])
  }

  static func revokeAll(ofSession session: String, in db: Database) throws {
    try db.change("UPDATE refreshToken SET state = 'revoked' WHERE session = ?", [session])
  }
}
