import GRDB
import GatehouseBase
import IdentityToolkit

/// What is kept of a refresh token: its hash, and the sign-in that it prolongs.
struct StoredRefreshToken: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "refreshToken"

  enum State: String, Codable, Sendable {
    case valid
    /// Exchanged for a newer one, where tokens rotate.
    case spent
    case revoked
  }

  var hash: String
  var uid: String
  /// Names the sign-in: the tokens that rotation makes of one another share it.
  var session: String
  /// How the user signed in: `password`, `anonymous`.
  var provider: String
  /// When, in seconds since 1970.
  var authTime: Int64
  var state = State.valid
  /// What a custom token says of the user, as JSON.
  var claims: String?
  /// The second factor of the sign-in, and which one of the account's it is.
  var factor: String?
  var factorID: String?
  /// Counts the rotations of the session.
  var generation: Int64 = 0
  /// When it was spent or revoked, in seconds since 1970; `nil` also until `Pruning` has looked at it.
  var endedAt: Int64?

  /// How many spent tokens of a session are known at least. An older one is refused as one that was never given out.
  static let spentMemory: Int64 = 16

  /// The row of a token that a client sent; refuses one that was never given out.
  static func require(_ sent: RefreshToken, in db: Database) throws -> StoredRefreshToken {
    let found = try first("SELECT * FROM refreshToken WHERE hash = ?", [sent.hash], in: db)
    guard let found else { throw AuthError(server: "INVALID_REFRESH_TOKEN") }
    return found
  }

  /// Spends the token, and makes the one that it buys.
  mutating func rotate(to next: RefreshToken, at now: Moment, in db: Database) throws {
    state = .spent
    endedAt = now.seconds
    try update(db)
    state = .valid
    endedAt = nil
    hash = next.hash
    generation += 1
    try insert(db)
    // Not each time: a statement that finds as many rows costs less than as many statements.
    guard generation % Self.spentMemory == 0 else { return }
    try db.change(
      "DELETE FROM refreshToken WHERE session = ? AND state = 'spent' AND generation < ?",
      [session, generation - Self.spentMemory])
  }

  /// Whether a sign-in has a refresh token that can still be used.
  static func isLive(session: String, of uid: String, in db: Database) throws -> Bool {
    try db.finds("SELECT 1 FROM refreshToken WHERE session = ? AND uid = ? AND state = 'valid'", [session, uid])
  }

  /// The sessions of an account that can still be used, one row of each, in the order in which they began.
  static func live(of account: StoredAccount, in db: Database) throws -> [StoredRefreshToken] {
    try every(
      """
      SELECT * FROM refreshToken WHERE uid = ? AND state = 'valid' AND authTime >= ?
      GROUP BY session ORDER BY authTime, session
      """, [account.uid, account.validSince], in: db)
  }

  /// Ends one session of an account; nothing happens to another account's.
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
