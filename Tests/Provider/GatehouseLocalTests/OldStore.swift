import Foundation
import GRDB
import GatehouseBase
import GatehouseCrypto

/// A provider's folder as version 1 of the tables left it, made without the provider's own code.
struct OldStore: Sendable {
  static let password = "correct horse"
  let folder = TemporaryFolder()
  var home: String { folder.home }
  var accounts: String { home + "/accounts.sqlite" }

  init(_ sql: String = "") throws {
    try FileManager.default.createDirectory(
      atPath: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try Data().write(to: URL(filePath: accounts))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: accounts)
    try execute(Self.tables + sql)
  }

  /// The provider prunes in the background.
  private static let patient = {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    return configuration
  }()

  /// Changes the database, and leaves nothing but its file.
  func execute(_ sql: String) throws {
    let queue = try DatabaseQueue(path: accounts, configuration: Self.patient)
    try queue.inDatabase { db in try db.execute(sql: sql) }
    try queue.close()
  }

  func rows(_ sql: String) throws -> [[String?]] {
    let queue = try DatabaseQueue(path: accounts, configuration: Self.patient)
    let rows = try queue.read { db in
      try Row.fetchAll(db, sql: sql).map { row in Array(row.databaseValues.map(Self.text)) }
    }
    try queue.close()
    return rows
  }

  private static func text(_ value: DatabaseValue) -> String? {
    switch value.storage {
    case .int64(let number): "\(number)"
    case .string(let text): text
    case .null, .blob, .double: nil
    }
  }

  /// A statement that makes an account with the password.
  static func account(_ uid: String, _ email: String, createdAt: Int) throws -> String {
    let salt = Array("sixteen bytes...".utf8)
    let hash = try Scrypt.derive(password: Array(password.utf8), salt: salt, n: 16, r: 1, p: 1, count: 32)
    let text = "scrypt$16$1$1$\(Base64URL.encode(salt))$\(Base64URL.encode(hash))"
    return """
      INSERT INTO account (
        uid, email, emailVerified, displayName, photoURL, password, disabled, createdAt, lastLoginAt, validSince
      ) VALUES ('\(uid)', '\(email)', 1, 'Name of \(uid)', NULL, '\(text)', 0, \(createdAt), 0, 0);
      """
  }

  /// A statement that makes a session of an account; the refresh token is in `token(of:)`.
  static func session(of uid: String) throws -> String {
    let hash = Base64URL.encode(try HashAlgorithm.sha256.hash(Array(token(of: uid).utf8)))
    return "INSERT INTO refreshToken VALUES ('\(hash)', '\(uid)', 'session', 'password', 1, 'valid');"
  }

  /// 43 characters.
  static func token(of uid: String) -> String { String(repeating: uid, count: 43).prefix(43).description }

  static let tables = """
    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
    INSERT INTO grdb_migrations VALUES ('1 accounts, sessions, keys');
    CREATE TABLE account (
      uid TEXT NOT NULL PRIMARY KEY, email TEXT UNIQUE, emailVerified INTEGER NOT NULL, displayName TEXT, photoURL TEXT,
      password TEXT, disabled INTEGER NOT NULL, createdAt INTEGER NOT NULL, lastLoginAt INTEGER NOT NULL,
      validSince INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE refreshToken (
      hash TEXT NOT NULL PRIMARY KEY, uid TEXT NOT NULL, session TEXT NOT NULL, provider TEXT NOT NULL,
      authTime INTEGER NOT NULL, state TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX refreshTokenByAccount ON refreshToken (uid);
    CREATE INDEX refreshTokenBySession ON refreshToken (session);
    CREATE TABLE failedSignIns (
      email TEXT NOT NULL PRIMARY KEY, count INTEGER NOT NULL, since INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX failedSignInsBySince ON failedSignIns (since);
    CREATE TABLE signingKey (
      position INTEGER PRIMARY KEY, keyID TEXT NOT NULL UNIQUE, algorithm TEXT NOT NULL, createdAt INTEGER NOT NULL
    ) STRICT;

    """
}
