import FoundationEssentials
import GRDB
import GatehouseBase
import GatehouseCrypto

/// The key that derives the next refresh token from a spent one, so that a lost answer can be repeated.
///
/// The database stores refresh tokens hashed, and cannot repeat an answer from them. A stolen database does not reveal
/// a token: that takes a token of the session as well. Both together reveal all later tokens of that session.
enum RotationKey {
  static func create(in db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE rotationKey (
          mark INTEGER NOT NULL PRIMARY KEY CHECK (mark = 1),
          key  BLOB NOT NULL
        ) STRICT;
        """)
    let key = try SecretKey.generate()
    try db.execute(sql: "INSERT INTO rotationKey (mark, key) VALUES (1, ?)", arguments: [Data(key.revealedBytes)])
  }

  /// Returns the refresh token that replaces a spent one: always the same.
  static func successor(of spent: RefreshToken, in db: Database) throws -> RefreshToken {
    let bytes = try db.row("SELECT key FROM rotationKey", []) { row in try row.bytes(0) }
    guard let bytes else { throw AuthError.unreadableRow }
    let message = Array("next refresh token:\(spent.secret.revealed)".utf8)
    return try RefreshToken(derived: try SecretKey(bytes).authenticate(message))
  }
}
