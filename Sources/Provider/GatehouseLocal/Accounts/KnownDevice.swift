import GRDB
import GatehouseBase
import GatehouseCrypto

/// A device from which a user of an account has signed in, as a row: only the hash of its cookie is stored.
struct KnownDevice: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "knownDevice"
  /// How many an account may have: a new one takes the place of the one that was used longest ago.
  static let most = 20
  /// How long one is known after its last use, in seconds.
  static let memory: Int64 = 180 * 86400

  var hash: String
  var uid: String
  /// Seconds since 1970.
  var usedAt: Int64

  /// The device of a cookie, if it is this account's.
  static func find(_ cookie: Secret, of account: StoredAccount, in db: Database) throws -> KnownDevice? {
    let hash = try hash(cookie)
    return try first("SELECT * FROM knownDevice WHERE hash = ? AND uid = ?", [hash, account.uid], in: db)
  }

  /// Adds one.
  static func add(_ cookie: Secret, to uid: String, at now: Moment, in db: Database) throws {
    try KnownDevice(hash: hash(cookie), uid: uid, usedAt: now.seconds).insert(db)
    try db.change(
      """
      DELETE FROM knownDevice WHERE hash IN
        (SELECT hash FROM knownDevice WHERE uid = ? ORDER BY usedAt DESC, hash LIMIT -1 OFFSET ?)
      """, [uid, most])
  }

  static func forgetAll(of uid: String, in db: Database) throws {
    try db.change("DELETE FROM knownDevice WHERE uid = ?", [uid])
  }

  /// Unsalted and fast is enough: 256 random bits cannot be guessed.
  private static func hash(_ cookie: Secret) throws(AuthError) -> String {
    Base64URL.encode(try HashAlgorithm.sha256.hash(Array(cookie.revealed.utf8)))
  }
}
