import GRDB

/// The tables, as a list of migrations. A migration that was released never changes: the next one changes tables.
enum AccountSchema {
  static let migrator: DatabaseMigrator = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 accounts, sessions, keys") { db in try db.execute(sql: first) }
    migrator.registerMigration("2 one form for all spellings of an address") { db in try AddressMigration.run(in: db) }
    return migrator
  }()

  /// Text compares as bytes (SQLite's `BINARY`), as identifiers must.
  private static let first = """
    CREATE TABLE account (
      uid           TEXT NOT NULL PRIMARY KEY,
      email         TEXT UNIQUE,        -- lower-cased
      emailVerified INTEGER NOT NULL,
      displayName   TEXT,
      photoURL      TEXT,
      password      TEXT,               -- a salted hash, with what it cost
      disabled      INTEGER NOT NULL,
      createdAt     INTEGER NOT NULL,   -- milliseconds since 1970
      lastLoginAt   INTEGER NOT NULL,   -- milliseconds since 1970
      validSince    INTEGER NOT NULL    -- seconds since 1970
    ) STRICT, WITHOUT ROWID;

    -- Outlives its account, so that a deleted user can be told from a forged token.
    CREATE TABLE refreshToken (
      hash     TEXT NOT NULL PRIMARY KEY,
      uid      TEXT NOT NULL,
      session  TEXT NOT NULL,           -- the same for the tokens that rotation made of one another
      provider TEXT NOT NULL,           -- how the user signed in
      authTime INTEGER NOT NULL,        -- when, in seconds since 1970
      state    TEXT NOT NULL            -- valid, spent (by rotation) or revoked
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX refreshTokenByAccount ON refreshToken (uid);
    CREATE INDEX refreshTokenBySession ON refreshToken (session);

    CREATE TABLE failedSignIns (
      email TEXT NOT NULL PRIMARY KEY,  -- of an account, or of none
      count INTEGER NOT NULL,
      since INTEGER NOT NULL            -- the first of them, in seconds since 1970
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX failedSignInsBySince ON failedSignIns (since);

    -- The keys themselves are files beside this database. The latest of an algorithm signs.
    CREATE TABLE signingKey (
      position  INTEGER PRIMARY KEY,
      keyID     TEXT NOT NULL UNIQUE,
      algorithm TEXT NOT NULL,
      createdAt INTEGER NOT NULL        -- milliseconds since 1970
    ) STRICT;
    """
}
