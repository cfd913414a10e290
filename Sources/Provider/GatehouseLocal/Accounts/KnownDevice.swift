import GRDB
import GatehouseBase
import GatehouseCrypto

/// A row for a device from which a user of an account has signed in. Only the hash of its cookie is stored.
struct KnownDevice: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "knownDevice"
  /// The maximum number of devices of an account. A new device replaces the least recently used one.
  static let most = 20
  /// The time for which a device is kept after its last use, in seconds.
  static let memory: Int64 = 180 * 86400

  var hash: String
  var uid: String
  /// Seconds since 1970.
  var usedAt: Int64

  /// Returns the device of a cookie, if it belongs to this account.
  static func find(_ cookie: Secret, of account: StoredAccount, in db: Database) throws -> KnownDevice? {
    let hash = try hash(cookie)
    return try first("SELECT * FROM knownDevice WHERE hash = ? AND uid = ?", [hash, account.uid], in: db)
  }

  /// Adds a device.
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

  /// An unsalted, fast hash is sufficient, because 256 random bits cannot be guessed.
  private static func hash(_ cookie: Secret) throws(AuthError) -> String {
    Base64URL.encode(try HashAlgorithm.sha256.hash(Array(cookie.revealed.utf8)))
  }
}
