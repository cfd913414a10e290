import GRDB

/// The tables, as a list of migrations. A released migration never changes; table changes are made in a new migration.
enum AccountSchema {
  static let migrator: DatabaseMigrator = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 accounts, sessions, keys") { db in try db.execute(sql: first) }
    migrator.registerMigration("2 one form for all spellings of an address") { db in try AddressMigration.run(in: db) }
    migrator.registerMigration("3 codes, custom tokens") { db in try db.execute(sql: third) }
    migrator.registerMigration("4 identities, phones") { db in try db.execute(sql: fourth) }
    migrator.registerMigration("5 administration") { db in try db.execute(sql: fifth) }
    migrator.registerMigration("6 tenants") { db in try db.execute(sql: sixth) }
    migrator.registerMigration("7 service accounts") { db in try db.execute(sql: seventh) }
    migrator.registerMigration("8 configurations") { db in try db.execute(sql: eighth) }
    migrator.registerMigration("9 refreshes") { db in try db.execute(sql: ninth) }
    migrator.registerMigration("10 keys of service accounts") { db in try db.execute(sql: tenth) }
    migrator.registerMigration("11 owners of accounts") { db in try db.execute(sql: eleventh) }
    migrator.registerMigration("12 emulators' homes") { db in try db.execute(sql: twelfth) }
    migrator.registerMigration("13 known networks") { db in try db.execute(sql: thirteenth) }
    migrator.registerMigration("14 times of sign-ins") { db in try db.execute(sql: fourteenth) }
    migrator.registerMigration("15 grace of a rotation") { db in try RotationKey.create(in: db) }
    migrator.registerMigration("16 verifications before changes") { db in try db.execute(sql: sixteenth) }
    migrator.registerMigration("17 times of passwords") { db in try db.execute(sql: seventeenth) }
    migrator.registerMigration("18 used recovery codes") { db in try db.execute(sql: eighteenth) }
    return migrator
  }()

  /// Text is compared as bytes (SQLite's `BINARY`), as identifiers require.
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

  private static let third = """
    ALTER TABLE account ADD COLUMN emailLink INTEGER NOT NULL DEFAULT 0;  -- signs in by links to its address
    ALTER TABLE account ADD COLUMN customAuth INTEGER NOT NULL DEFAULT 0; -- signs in by custom tokens
    ALTER TABLE refreshToken ADD COLUMN claims TEXT;                      -- of a custom token, as JSON

    ALTER TABLE refreshToken ADD COLUMN factor TEXT;                      -- the second factor of the sign-in: totp
    ALTER TABLE refreshToken ADD COLUMN factorID TEXT;                    -- which one

    CREATE TABLE secondFactor (
      id          TEXT NOT NULL PRIMARY KEY,
      uid         TEXT NOT NULL,
      kind        TEXT NOT NULL,
      displayName TEXT,
      secret      TEXT NOT NULL,        -- shared with the user's app, in base32
      lastStep    INTEGER NOT NULL,     -- the period of the last password that was used
      enrolledAt  INTEGER NOT NULL      -- milliseconds since 1970
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX secondFactorByAccount ON secondFactor (uid);

    -- Enrolments that have begun.
    CREATE TABLE pendingFactor (
      hash TEXT NOT NULL PRIMARY KEY, uid TEXT NOT NULL, secret TEXT NOT NULL, expires INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- Sign-ins that wait for a second factor.
    CREATE TABLE pendingSignIn (
      hash TEXT NOT NULL PRIMARY KEY, uid TEXT NOT NULL, provider TEXT NOT NULL, expires INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE recoveryCode (hash TEXT NOT NULL PRIMARY KEY, uid TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX recoveryCodeByAccount ON recoveryCode (uid);

    -- Codes of messages. A code that was used has no row any more.
    CREATE TABLE actionCode (
      hash     TEXT NOT NULL PRIMARY KEY,
      type     TEXT NOT NULL,           -- what it is for, as the protocol names it
      uid      TEXT,                    -- of the account; NULL when a sign-in may make one
      email    TEXT NOT NULL,           -- the account's address; of a change, the earlier one
      newEmail TEXT,                    -- of a change, the later one
      expires  INTEGER NOT NULL         -- seconds since 1970
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX actionCodeByEmail ON actionCode (email);
    CREATE INDEX actionCodeByAccount ON actionCode (uid);
    CREATE INDEX actionCodeByExpiry ON actionCode (expires);

    -- What is limited: sign-ins that failed, and messages. By address, of an account or of none.
    CREATE TABLE attempt (
      kind    TEXT NOT NULL,
      subject TEXT NOT NULL,
      count   INTEGER NOT NULL,
      since   INTEGER NOT NULL,         -- the first of them, in seconds since 1970
      PRIMARY KEY (kind, subject)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX attemptBySince ON attempt (since);
    INSERT INTO attempt (kind, subject, count, since) SELECT 'signIn', email, count, since FROM failedSignIns;
    DROP TABLE failedSignIns;
    """

  private static let fourth = """
    ALTER TABLE account ADD COLUMN phoneNumber TEXT;                      -- as E.164 writes it
    CREATE UNIQUE INDEX accountByPhone ON account (phoneNumber);
    ALTER TABLE secondFactor ADD COLUMN phoneNumber TEXT;                 -- of a phone, which has no secret

    -- Users of identity providers, and whose accounts they sign in to.
    CREATE TABLE identity (
      provider    TEXT NOT NULL,
      subject     TEXT NOT NULL,        -- the user's identifier there
      uid         TEXT NOT NULL,
      email       TEXT,
      displayName TEXT,
      photoURL    TEXT,
      PRIMARY KEY (provider, subject)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX identityByAccount ON identity (uid, provider);

    -- Codes that were sent to phones.
    CREATE TABLE phoneCode (
      hash        TEXT NOT NULL PRIMARY KEY,
      purpose     TEXT NOT NULL,        -- signIn, enrollment, secondFactor; proof, which has no code
      phoneNumber TEXT NOT NULL,
      codeHash    TEXT NOT NULL,
      uid         TEXT,                 -- of a second factor
      factor      TEXT,
      guesses     INTEGER NOT NULL,
      expires     INTEGER NOT NULL      -- seconds since 1970
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX phoneCodeByAccount ON phoneCode (uid);
    CREATE INDEX phoneCodeByExpiry ON phoneCode (expires);
    """

  private static let fifth = """
    ALTER TABLE account ADD COLUMN claims TEXT;                  -- set by an administrator, as JSON

    -- The key that signs is the latest of its algorithm whose time has come.
    ALTER TABLE signingKey ADD COLUMN signsFrom INTEGER NOT NULL DEFAULT 0;       -- seconds since 1970
    ALTER TABLE signingKey ADD COLUMN tokenSeconds INTEGER NOT NULL DEFAULT 3600; -- the longest lifetime of its tokens
    ALTER TABLE signingKey ADD COLUMN signedUntil INTEGER NOT NULL DEFAULT 0;     -- the last expiry of its cookies
    ALTER TABLE signingKey ADD COLUMN removing INTEGER NOT NULL DEFAULT 0;        -- its file may be gone already

    ALTER TABLE refreshToken ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;    -- counts the rotations of a session
    ALTER TABLE refreshToken ADD COLUMN endedAt INTEGER;                          -- seconds since 1970
    CREATE INDEX refreshTokenByEnd ON refreshToken (endedAt) WHERE endedAt IS NOT NULL;
    CREATE INDEX refreshTokenToMark ON refreshToken (state) WHERE endedAt IS NULL AND state != 'valid';
    CREATE TRIGGER accountTokensEnd AFTER DELETE ON account BEGIN
      UPDATE refreshToken SET state = 'revoked' WHERE uid = OLD.uid;
    END;
    CREATE INDEX pendingFactorByExpiry ON pendingFactor (expires);
    CREATE INDEX pendingSignInByExpiry ON pendingSignIn (expires);

    -- Devices from which a user has signed in: what others do does not lock them out.
    CREATE TABLE knownDevice (
      hash TEXT NOT NULL PRIMARY KEY, uid TEXT NOT NULL, usedAt INTEGER NOT NULL    -- seconds since 1970
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX knownDeviceByAccount ON knownDevice (uid, usedAt);
    CREATE INDEX knownDeviceByUse ON knownDevice (usedAt);
    CREATE TRIGGER accountDevicesEnd AFTER DELETE ON account BEGIN DELETE FROM knownDevice WHERE uid = OLD.uid; END;

    CREATE TABLE upkeep (task TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    """

  /// Values that were unique in the project become unique in each tenant. The project's own accounts belong to the
  /// tenant ''.
  private static let sixth = """
    CREATE TABLE tenant (
      id          TEXT NOT NULL PRIMARY KEY,
      displayName TEXT,
      createdAt   INTEGER NOT NULL      -- milliseconds since 1970
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE newAccount (
      uid           TEXT NOT NULL PRIMARY KEY,
      tenant        TEXT NOT NULL DEFAULT '',
      email         TEXT,               -- in the form in which addresses are compared
      emailVerified INTEGER NOT NULL,
      displayName   TEXT,
      photoURL      TEXT,
      password      TEXT,               -- a salted hash, with what it cost
      disabled      INTEGER NOT NULL,
      createdAt     INTEGER NOT NULL,   -- milliseconds since 1970
      lastLoginAt   INTEGER NOT NULL,   -- milliseconds since 1970
      validSince    INTEGER NOT NULL,   -- seconds since 1970
      emailLink     INTEGER NOT NULL DEFAULT 0,   -- signs in by links to its address
      customAuth    INTEGER NOT NULL DEFAULT 0,   -- signs in by custom tokens
      phoneNumber   TEXT,               -- as E.164 writes it
      claims        TEXT,               -- set by an administrator, as JSON
      UNIQUE (tenant, email),
      UNIQUE (tenant, phoneNumber)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO newAccount (
        uid, email, emailVerified, displayName, photoURL, password, disabled, createdAt, lastLoginAt, validSince,
        emailLink, customAuth, phoneNumber, claims)
      SELECT
        uid, email, emailVerified, displayName, photoURL, password, disabled, createdAt, lastLoginAt, validSince,
        emailLink, customAuth, phoneNumber, claims
      FROM account;
    DROP TABLE account;
    ALTER TABLE newAccount RENAME TO account;
    CREATE INDEX accountByTenant ON account (tenant, uid);
    CREATE TRIGGER lostAddressReplaced AFTER UPDATE OF email ON account WHEN NEW.email IS NOT NULL
    BEGIN DELETE FROM lostAddress WHERE uid = NEW.uid; END;
    CREATE TRIGGER lostAddressDeleted AFTER DELETE ON account
    BEGIN DELETE FROM lostAddress WHERE uid = OLD.uid; END;
    CREATE TRIGGER accountTokensEnd AFTER DELETE ON account BEGIN
      UPDATE refreshToken SET state = 'revoked' WHERE uid = OLD.uid;
    END;
    CREATE TRIGGER accountDevicesEnd AFTER DELETE ON account BEGIN DELETE FROM knownDevice WHERE uid = OLD.uid; END;
    -- A tenant may be deleted while a sign-up is under way.
    CREATE TRIGGER accountNeedsTenant BEFORE INSERT ON account WHEN NEW.tenant != '' BEGIN
      SELECT RAISE(ABORT, 'the tenant is gone') WHERE NOT EXISTS (SELECT 1 FROM tenant WHERE id = NEW.tenant);
    END;

    CREATE TABLE newIdentity (
      tenant      TEXT NOT NULL DEFAULT '',
      provider    TEXT NOT NULL,
      subject     TEXT NOT NULL,        -- the user's identifier there
      uid         TEXT NOT NULL,
      email       TEXT,
      displayName TEXT,
      photoURL    TEXT,
      PRIMARY KEY (tenant, provider, subject)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO newIdentity (provider, subject, uid, email, displayName, photoURL)
      SELECT provider, subject, uid, email, displayName, photoURL FROM identity;
    DROP TABLE identity;
    ALTER TABLE newIdentity RENAME TO identity;
    CREATE UNIQUE INDEX identityByAccount ON identity (uid, provider);

    ALTER TABLE actionCode ADD COLUMN tenant TEXT NOT NULL DEFAULT '';
    ALTER TABLE phoneCode ADD COLUMN tenant TEXT NOT NULL DEFAULT '';
    """

  /// Programs that administer the project. Their private keys are only in their owners' files, never here.
  private static let seventh = """
    CREATE TABLE serviceAccount (
      email     TEXT NOT NULL PRIMARY KEY,
      id        TEXT NOT NULL UNIQUE,   -- another one for a later account of the same name
      keyID     TEXT NOT NULL,
      publicKey TEXT NOT NULL,          -- PEM
      tokenURL  TEXT NOT NULL,          -- where its file says that it gets access tokens
      createdAt INTEGER NOT NULL        -- milliseconds since 1970
    ) STRICT, WITHOUT ROWID;
    """

  private static let eighth = """
    -- What an administrator configures over the protocol.
    CREATE TABLE resource (
      kind     TEXT NOT NULL,           -- tenant, oauthIdpConfig, inboundSamlConfig
      tenant   TEXT NOT NULL,           -- empty for the project itself
      id       TEXT NOT NULL,
      document TEXT NOT NULL,           -- JSON
      PRIMARY KEY (kind, tenant, id)
    ) STRICT, WITHOUT ROWID;
    """

  private static let ninth = """
    ALTER TABLE account ADD COLUMN lastRefreshAt INTEGER;         -- milliseconds since 1970, exact to the hour
    """

  private static let tenth = """
    CREATE TABLE serviceAccountKey (
      account   TEXT NOT NULL,          -- the account's id, which no other account ever has
      keyID     TEXT NOT NULL,
      publicKey TEXT NOT NULL,          -- PEM
      createdAt INTEGER NOT NULL,       -- milliseconds since 1970
      PRIMARY KEY (account, keyID)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO serviceAccountKey (account, keyID, publicKey, createdAt)
      SELECT id, keyID, publicKey, createdAt FROM serviceAccount;
    ALTER TABLE serviceAccount DROP COLUMN keyID;
    ALTER TABLE serviceAccount DROP COLUMN publicKey;
    CREATE TRIGGER serviceAccountKeysEnd AFTER DELETE ON serviceAccount BEGIN
      DELETE FROM serviceAccountKey WHERE account = OLD.id;
    END;
    """

  /// An epoch of an account ends when its address changes, or when a message verifies the address. What was added in
  /// which epoch is stored by triggers, so that no call can forget it.
  private static let eleventh = """
    ALTER TABLE account ADD COLUMN createdFrom TEXT;                        -- the network address of its maker
    ALTER TABLE account ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE account ADD COLUMN verifiedEpoch INTEGER NOT NULL DEFAULT 0; -- the first one after a verification
    ALTER TABLE account ADD COLUMN passwordEpoch INTEGER NOT NULL DEFAULT 0; -- in which the password was set
    ALTER TABLE account ADD COLUMN phoneEpoch INTEGER NOT NULL DEFAULT 0;    -- in which the phone number was set
    ALTER TABLE identity ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE secondFactor ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE secondFactor ADD COLUMN byUser INTEGER NOT NULL DEFAULT 0;   -- enrolled by the user, not an administrator
    ALTER TABLE actionCode ADD COLUMN session TEXT;    -- that asked for the code
    ALTER TABLE actionCode ADD COLUMN epoch INTEGER;   -- that began with the change which the code takes back
    ALTER TABLE actionCode ADD COLUMN factor TEXT;     -- which the code takes away

    CREATE TRIGGER accountEpoch AFTER UPDATE OF email, password, phoneNumber ON account
    WHEN NEW.email IS NOT OLD.email OR NEW.password IS NOT OLD.password OR NEW.phoneNumber IS NOT OLD.phoneNumber
    BEGIN
      UPDATE account SET
        epoch = epoch + (NEW.email IS NOT OLD.email),
        passwordEpoch = iif(
          NEW.password IS NOT OLD.password, epoch + (NEW.email IS NOT OLD.email), passwordEpoch),
        phoneEpoch = iif(
          NEW.phoneNumber IS NOT OLD.phoneNumber, epoch + (NEW.email IS NOT OLD.email), phoneEpoch)
      WHERE uid = NEW.uid;
    END;
    CREATE TRIGGER identityEpoch AFTER INSERT ON identity BEGIN
      UPDATE identity SET epoch = (SELECT epoch FROM account WHERE uid = NEW.uid)
      WHERE uid = NEW.uid AND provider = NEW.provider AND EXISTS (SELECT 1 FROM account WHERE uid = NEW.uid);
    END;
    CREATE TRIGGER secondFactorEpoch AFTER INSERT ON secondFactor BEGIN
      UPDATE secondFactor SET epoch = (SELECT epoch FROM account WHERE uid = NEW.uid)
      WHERE id = NEW.id AND EXISTS (SELECT 1 FROM account WHERE uid = NEW.uid);
    END;
    """

  private static let twelfth = """
    -- Has a row if the home is an emulator's, which lets anyone sign in as any user.
    CREATE TABLE emulator (mark INTEGER NOT NULL PRIMARY KEY CHECK (mark = 1)) STRICT;
    """

  private static let thirteenth = """
    ALTER TABLE knownDevice ADD COLUMN kind TEXT NOT NULL DEFAULT 'cookie';   -- or network
    """

  private static let fourteenth = """
    -- When the user of a session that replaced another one has signed in, in seconds since 1970. The session's authTime
    -- is not earlier than the revocation that ended the other one.
    ALTER TABLE refreshToken ADD COLUMN signedInAt INTEGER;
    """

  private static let sixteenth = """
    ALTER TABLE actionCode ADD COLUMN verifiedEpoch INTEGER;   -- of the account, before the change that is taken back
    """

  private static let seventeenth = """
    ALTER TABLE account ADD COLUMN passwordUpdatedAt INTEGER;    -- milliseconds since 1970
    """

  private static let eighteenth = """
    ALTER TABLE recoveryCode ADD COLUMN used INTEGER;            -- when, in seconds since 1970
    """
}
