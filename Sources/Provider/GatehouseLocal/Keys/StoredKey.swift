import GRDB
import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE

/// A key, as a row.
struct StoredKey: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "signingKey"

  var keyID: String
  var algorithm: String
  /// Milliseconds since 1970.
  var createdAt: Int64

  /// All of them, in the order in which they were made.
  static func all(in db: Database) throws -> [StoredKey] {
    try fetchAll(db, sql: "SELECT * FROM signingKey ORDER BY position")
  }

  /// The key itself, from its file. Refuses a file that holds another key.
  func read(in home: HomeFolder) throws(AuthError) -> PrivateKey {
    try home.readKey(keyID)
  }
}

extension PrivateKey {
  /// The key's name: its RFC 7638 thumbprint, which every implementation computes alike.
  func thumbprint() throws(AuthError) -> String { try JWK(.publicKey(publicKey)).thumbprint() }
}
