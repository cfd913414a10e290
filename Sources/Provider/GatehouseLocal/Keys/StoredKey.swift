import GRDB
import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE

/// A key, as a row.
///
///     published ── signsFrom ──── signsFrom of the next ──── verifiesUntil ── removing ── gone
///       next          signing              retired
struct StoredKey: Codable, Sendable, Hashable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "signingKey"

  var keyID: String
  var algorithm: String
  /// Milliseconds since 1970.
  var createdAt: Int64
  /// From when on it signs, in seconds since 1970.
  var signsFrom: Int64
  /// The longest lifetime of the tokens that it signs, in seconds: session cookies aside.
  var tokenSeconds: Int64
  /// When the last session cookie that it signed expires, in seconds since 1970.
  var signedUntil: Int64 = 0
  /// Its file is being removed, or is gone. Only the row is left to go.
  var removing = false

  /// How long after its retirement a process that has not looked may still sign with it, in seconds.
  static let lag: Int64 = 60

  /// All of them, in the order in which they were made.
  static func all(in db: Database) throws -> [StoredKey] {
    try fetchAll(db, sql: "SELECT * FROM signingKey ORDER BY position")
  }

  /// The key itself, from its file. Refuses a file that holds another key.
  func read(in home: HomeFolder) throws(AuthError) -> PrivateKey {
    try home.readKey(keyID)
  }
}

extension [StoredKey] {
  /// Those whose keys there must be.
  var present: [StoredKey] { filter { !$0.removing } }

  /// The key that signs at a moment; before the first one's time, when the clock has been set back, the first one.
  func signing(_ algorithm: String, at now: Moment) -> StoredKey? {
    let own = present.filter { $0.algorithm == algorithm }
    return own.last { $0.signsFrom <= now.seconds } ?? own.first
  }

  /// The key that is published and does not sign yet.
  func next(_ algorithm: String, at now: Moment) -> StoredKey? {
    let own = present.filter { $0.algorithm == algorithm }
    guard let last = own.last, last.signsFrom > now.seconds, own.count > 1 else { return nil }
    return last
  }

  /// When another key signs instead of this one, in seconds since 1970; `nil` while none is to.
  func retirement(of key: StoredKey) -> Int64? {
    drop { $0 != key }.dropFirst().first { $0.algorithm == key.algorithm && !$0.removing }?.signsFrom
  }

  /// When the last token of a key expires, in seconds since 1970; `nil` while no other key is to sign instead of it.
  func verifiesUntil(_ key: StoredKey) -> Int64? {
    retirement(of: key).map { Swift.max($0 + key.tokenSeconds + StoredKey.lag, key.signedUntil) }
  }
}

extension PrivateKey {
  /// The key's name: its RFC 7638 thumbprint, which every implementation computes alike.
  func thumbprint() throws(AuthError) -> String { try JWK(.publicKey(publicKey)).thumbprint() }
}
