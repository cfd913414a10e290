import GRDB
import GatehouseBase
import GatehouseCrypto

/// A row for a key.
///
///     published ── signsFrom ──── signsFrom of the next ──── verifiesUntil ── removing ── removed
///       next          signing              retired
struct StoredKey: Codable, Sendable, Hashable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "signingKey"

  var keyID: String
  var algorithm: String
  /// The creation time, in milliseconds since 1970.
  var createdAt: Int64
  /// The time from which the key signs, in seconds since 1970.
  var signsFrom: Int64
  /// The longest lifetime of the tokens that the key signs, except for session cookies, in seconds.
  var tokenSeconds: Int64
  /// The expiry of the last session cookie that the key signed, in seconds since 1970.
  var signedUntil: Int64 = 0
  /// Whether the file is being removed or was removed, and only the row is left to be removed.
  var removing = false

  /// The time after a key's retirement for which a process that has not reread the keys may still sign with it, in
  /// seconds.
  static let lag: Int64 = 60

  /// Returns all keys, in the order in which they were made.
  static func all(in db: Database) throws -> [StoredKey] {
    try fetchAll(db, sql: "SELECT * FROM signingKey ORDER BY position")
  }

  /// Reads the key from its file. Refuses a file that contains another key.
  func read(in home: HomeFolder) throws(AuthError) -> PrivateKey {
    try home.readKey(keyID)
  }
}

extension [StoredKey] {
  /// The rows whose key files must exist.
  var present: [StoredKey] { filter { !$0.removing } }

  /// Returns the key that signs at a moment. If the clock was set back to before the first key's time, that is the
  /// first key.
  func signing(_ algorithm: String, at now: Moment) -> StoredKey? {
    let own = present.filter { $0.algorithm == algorithm }
    return own.last { $0.signsFrom <= now.seconds } ?? own.first
  }

  /// Returns the key that is published but does not sign yet.
  func next(_ algorithm: String, at now: Moment) -> StoredKey? {
    let own = present.filter { $0.algorithm == algorithm }
    guard let last = own.last, last.signsFrom > now.seconds, own.count > 1 else { return nil }
    return last
  }

  /// Returns the time from which another key signs instead of this one, in seconds since 1970; `nil` if there is none.
  func retirement(of key: StoredKey) -> Int64? {
    drop { $0 != key }.dropFirst().first { $0.algorithm == key.algorithm && !$0.removing }?.signsFrom
  }

  /// Returns the expiry of a key's last token, in seconds since 1970; `nil` while no other key is going to replace it.
  func verifiesUntil(_ key: StoredKey) -> Int64? {
    retirement(of: key).map { Swift.max($0 + key.tokenSeconds + StoredKey.lag, key.signedUntil) }
  }
}
