import GRDB

/// A row for a service account.
struct StoredServiceAccount: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "serviceAccount"

  var email: String
  /// The account's identifier; a later account of the same name has another one.
  var id: String
  /// The URL in its files from which it gets access tokens.
  var tokenURL: String
  /// The creation time, in milliseconds since 1970.
  var createdAt: Int64

  static func all(in db: Database) throws -> [StoredServiceAccount] {
    try every("SELECT * FROM serviceAccount ORDER BY email", in: db)
  }

  static func find(_ email: String, in db: Database) throws -> StoredServiceAccount? {
    try first("SELECT * FROM serviceAccount WHERE email = ?", [email], in: db)
  }
}

/// A row for a key of a service account. The private key is only in its owner's file.
struct StoredServiceAccountKey: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "serviceAccountKey"
  /// The maximum number of keys of one account, as at Google.
  static let most = 10

  /// The account's identifier.
  var account: String
  var keyID: String
  /// The public key, in PEM.
  var publicKey: String
  /// The creation time, in milliseconds since 1970.
  var createdAt: Int64

  static func all(of account: StoredServiceAccount, in db: Database) throws -> [StoredServiceAccountKey] {
    try every("SELECT * FROM serviceAccountKey WHERE account = ? ORDER BY createdAt, keyID", [account.id], in: db)
  }

  static func find(
    _ keyID: String, of account: StoredServiceAccount, in db: Database
  ) throws -> StoredServiceAccountKey? {
    try first("SELECT * FROM serviceAccountKey WHERE account = ? AND keyID = ?", [account.id, keyID], in: db)
  }
}
