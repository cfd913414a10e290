import GRDB
import GatehouseBase

/// The tables, as a list of migrations.
///
/// The first migration is edited in place until a version has been named, and homes of the time before are refused. A
/// migration never changes from the first named version on: a change of the tables is a new migration.
enum AccountSchema {
  static let migrator: DatabaseMigrator = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("0.1 tables") { db in
      for part in [accounts, sessions, factors, codes, limits, administration, emulator] { try db.execute(sql: part) }
      try RotationKey.create(in: db)
    }
    migrator.registerMigration("0.1 one form of a domain", migrate: joinSpellings)
    return migrator
  }()

  /// Gives addresses whose domain is written in ASCII (`xn--…`) the form of all spellings (decision 155). An account
  /// whose form another account of the tenant has keeps its spelling, and is found by its identifier.
  private static func joinSpellings(in db: Database) throws {
    let rows = try Row.fetchAll(
      db, sql: "SELECT uid, tenant, email, epoch, passwordEpoch, phoneEpoch FROM account WHERE email LIKE '%xn--%'")
    for row in rows {
      let (uid, tenant, email): (String, String, String) = (row[0], row[1], row[2])
      let form = email.emailForm
      guard !form.isExactly(email),
        try !db.finds("SELECT 1 FROM account WHERE tenant = ? AND email = ?", [tenant, form])
      else { continue }
      try db.execute(sql: "UPDATE account SET email = ? WHERE uid = ?", arguments: [form, uid])
      // It is the same mailbox: no epoch has ended.
      let (epoch, passwordEpoch, phoneEpoch): (Int64, Int64, Int64) = (row[3], row[4], row[5])
      try db.execute(
        sql: "UPDATE account SET epoch = ?, passwordEpoch = ?, phoneEpoch = ? WHERE uid = ?",
        arguments: [epoch, passwordEpoch, phoneEpoch, uid])
    }
  }

  /// The first migration of homes that were made before these tables.
  static let outdated = "1 accounts, sessions, keys"

  // Text is compared as bytes (SQLite's `BINARY`), as identifiers require. Times are in seconds since 1970, unless
  // said otherwise.

  /// The project's own accounts belong to the tenant ''.
  ///
  /// An epoch of an account ends when its address changes, or when a message verifies the address. What was added in
  /// which epoch is stored by triggers, so that no call can forget it.
  private static let accounts = """
    CREATE TABLE tenant (
      id          TEXT NOT NULL PRIMARY KEY,
      displayName TEXT,
      createdAt   INTEGER NOT NULL                    -- milliseconds
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE account (
      uid           TEXT NOT NULL PRIMARY KEY,
      tenant        TEXT NOT NULL DEFAULT '',
      email         TEXT,                             -- in the form in which addresses are compared
      emailVerified INTEGER NOT NULL,
      displayName   TEXT,
      photoURL      TEXT,
      password      TEXT,                             -- a salted hash, with what it cost
      disabled      INTEGER NOT NULL,
      createdAt     INTEGER NOT NULL,                 -- milliseconds
      lastLoginAt   INTEGER NOT NULL,                 -- milliseconds
      validSince    INTEGER NOT NULL,
      emailLink     INTEGER NOT NULL DEFAULT 0,       -- signs in by links to its address
      customAuth    INTEGER NOT NULL DEFAULT 0,       -- signs in by custom tokens
      phoneNumber   TEXT,                             -- as E.164 writes it
      claims        TEXT,                             -- set by an administrator, as JSON
      lastRefreshAt INTEGER,                          -- milliseconds
      createdFrom   TEXT,                             -- the network address of its maker
      epoch         INTEGER NOT NULL DEFAULT 0,
      verifiedEpoch INTEGER NOT NULL DEFAULT 0,       -- the first one after a verification
      passwordEpoch INTEGER NOT NULL DEFAULT 0,       -- in which the password was set
      phoneEpoch    INTEGER NOT NULL DEFAULT 0,       -- in which the phone number was set
      passwordUpdatedAt INTEGER,                      -- milliseconds
      passwordGeneration INTEGER NOT NULL DEFAULT 0,  -- counts the passwords that were set and removed
      UNIQUE (tenant, email),
      UNIQUE (tenant, phoneNumber)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX accountByTenant ON account (tenant, uid);

    CREATE TRIGGER accountTokensEnd AFTER DELETE ON account BEGIN
      UPDATE refreshToken SET state = 'revoked' WHERE uid = OLD.uid;
    END;
    CREATE TRIGGER accountDevicesEnd AFTER DELETE ON account BEGIN DELETE FROM knownDevice WHERE uid = OLD.uid; END;
    -- A tenant may be deleted while a sign-up is under way.
    CREATE TRIGGER accountNeedsTenant BEFORE INSERT ON account WHEN NEW.tenant != '' BEGIN
      SELECT RAISE(ABORT, 'the tenant is gone') WHERE NOT EXISTS (SELECT 1 FROM tenant WHERE id = NEW.tenant);
    END;
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

    -- Users of identity providers, and whose accounts they sign in to.
    CREATE TABLE identity (
      tenant      TEXT NOT NULL DEFAULT '',
      provider    TEXT NOT NULL,
      subject     TEXT NOT NULL,                      -- the user's identifier there
      uid         TEXT NOT NULL,
      email       TEXT,
      displayName TEXT,
      photoURL    TEXT,
      epoch       INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (tenant, provider, subject)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX identityByAccount ON identity (uid, provider);
    CREATE TRIGGER identityEpoch AFTER INSERT ON identity BEGIN
      UPDATE identity SET epoch = (SELECT epoch FROM account WHERE uid = NEW.uid)
      WHERE uid = NEW.uid AND provider = NEW.provider AND EXISTS (SELECT 1 FROM account WHERE uid = NEW.uid);
    END;
    """

  private static let sessions = """
    -- Outlives its account, so that a deleted user can be told from a forged token.
    CREATE TABLE refreshToken (
      hash       TEXT NOT NULL PRIMARY KEY,
      uid        TEXT NOT NULL,
      session    TEXT NOT NULL,                       -- the same for the tokens that rotation made of one another
      provider   TEXT NOT NULL,                       -- how the user signed in
      authTime   INTEGER NOT NULL,
      state      TEXT NOT NULL,                       -- valid, spent (by rotation) or revoked
      claims     TEXT,                                -- of a custom token, as JSON
      factor     TEXT,                                -- the second factor of the sign-in: totp
      factorID   TEXT,                                -- which one
      generation INTEGER NOT NULL DEFAULT 0,          -- counts the rotations of a session
      endedAt    INTEGER,
      -- When the user of a session that replaced another one has signed in. The session's authTime is not earlier than
      -- the revocation that ended the other one.
      signedInAt INTEGER,
      network    TEXT                                 -- from which the user has signed in, as a hash
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX refreshTokenByAccount ON refreshToken (uid);
    CREATE INDEX refreshTokenBySession ON refreshToken (session);
    -- Counts the sessions of an account, which may have thirty spent tokens each.
    CREATE INDEX refreshTokenUnspent ON refreshToken (uid) WHERE state != 'spent';
    CREATE INDEX refreshTokenByEnd ON refreshToken (endedAt) WHERE endedAt IS NOT NULL;
    CREATE INDEX refreshTokenToMark ON refreshToken (state) WHERE endedAt IS NULL AND state != 'valid';

    -- The keys themselves are files beside this database. The latest of an algorithm whose time has come signs.
    CREATE TABLE signingKey (
      position     INTEGER PRIMARY KEY,
      keyID        TEXT NOT NULL UNIQUE,
      algorithm    TEXT NOT NULL,
      createdAt    INTEGER NOT NULL,                  -- milliseconds
      signsFrom    INTEGER NOT NULL DEFAULT 0,
      tokenSeconds INTEGER NOT NULL DEFAULT 3600,     -- the longest lifetime of its tokens
      signedUntil  INTEGER NOT NULL DEFAULT 0,        -- the last expiry of its cookies
      removing     INTEGER NOT NULL DEFAULT 0         -- its file may be gone already
    ) STRICT;
    """

  private static let factors = """
    CREATE TABLE secondFactor (
      id          TEXT NOT NULL PRIMARY KEY,
      uid         TEXT NOT NULL,
      kind        TEXT NOT NULL,
      displayName TEXT,
      secret      TEXT NOT NULL,                      -- shared with the user's app, in base32
      lastStep    INTEGER NOT NULL,                   -- the period of the last password that was used
      enrolledAt  INTEGER NOT NULL,                   -- milliseconds
      phoneNumber TEXT,                               -- of a phone, which has no secret
      epoch       INTEGER NOT NULL DEFAULT 0,
      byUser      INTEGER NOT NULL DEFAULT 0          -- enrolled by the user, not an administrator
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX secondFactorByAccount ON secondFactor (uid);
    CREATE TRIGGER secondFactorEpoch AFTER INSERT ON secondFactor BEGIN
      UPDATE secondFactor SET epoch = (SELECT epoch FROM account WHERE uid = NEW.uid)
      WHERE id = NEW.id AND EXISTS (SELECT 1 FROM account WHERE uid = NEW.uid);
    END;

    -- Enrolments that have begun.
    CREATE TABLE pendingFactor (
      hash TEXT NOT NULL PRIMARY KEY, uid TEXT NOT NULL, secret TEXT NOT NULL, expires INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX pendingFactorByExpiry ON pendingFactor (expires);
    CREATE INDEX pendingFactorByAccount ON pendingFactor (uid, expires);

    -- Sign-ins that wait for a second factor.
    CREATE TABLE pendingSignIn (
      hash     TEXT NOT NULL PRIMARY KEY,
      uid      TEXT NOT NULL,
      provider TEXT NOT NULL,
      expires  INTEGER NOT NULL,
      passwordGeneration INTEGER                      -- of the password that was given; NULL without one
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX pendingSignInByExpiry ON pendingSignIn (expires);
    CREATE INDEX pendingSignInByAccount ON pendingSignIn (uid, expires);

    CREATE TABLE recoveryCode (
      hash TEXT NOT NULL PRIMARY KEY,
      uid  TEXT NOT NULL,
      used INTEGER                                    -- when
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX recoveryCodeByAccount ON recoveryCode (uid);
    """

  private static let codes = """
    -- Codes of messages. A code that was used has no row any more.
    CREATE TABLE actionCode (
      hash     TEXT NOT NULL PRIMARY KEY,
      type     TEXT NOT NULL,                         -- what it is for, as the protocol names it
      uid      TEXT,                                  -- of the account; NULL when a sign-in may make one
      email    TEXT NOT NULL,                         -- the account's address; of a change, the earlier one
      newEmail TEXT,                                  -- of a change, the later one
      expires  INTEGER NOT NULL,
      tenant   TEXT NOT NULL DEFAULT '',
      session  TEXT,                                  -- that asked for the code
      epoch    INTEGER,                               -- that began with the change which the code takes back
      factor   TEXT,                                  -- which the code takes away
      verifiedEpoch INTEGER,                          -- of the account, before the change that is taken back
      -- Of a code that takes a factor away:
      aloneUntil INTEGER,                             -- until when it needs nothing else
      removesAt  INTEGER,                             -- when the waiting time is over; NULL until it has begun
      passwordGeneration INTEGER,                     -- of the account at the enrollment
      ownersDevices TEXT,                             -- devices and networks of the owner then, as hashes
      stops      TEXT                                 -- the hash of the code that this one ends
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX actionCodeByEmail ON actionCode (email);
    CREATE INDEX actionCodeByAccount ON actionCode (uid);
    CREATE INDEX actionCodeByExpiry ON actionCode (expires);

    -- Codes that were sent to phones.
    CREATE TABLE phoneCode (
      hash        TEXT NOT NULL PRIMARY KEY,
      purpose     TEXT NOT NULL,                      -- signIn, enrollment, secondFactor; proof, which has no code
      phoneNumber TEXT NOT NULL,
      codeHash    TEXT NOT NULL,
      uid         TEXT,                               -- of a second factor
      factor      TEXT,
      guesses     INTEGER NOT NULL,
      expires     INTEGER NOT NULL,
      tenant      TEXT NOT NULL DEFAULT ''
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX phoneCodeByAccount ON phoneCode (uid);
    CREATE INDEX phoneCodeByExpiry ON phoneCode (expires);
    """

  private static let limits = """
    -- What is limited: sign-ins that failed, and messages. By address, of an account or of none.
    CREATE TABLE attempt (
      kind    TEXT NOT NULL,
      subject TEXT NOT NULL,
      count   INTEGER NOT NULL,
      since   INTEGER NOT NULL,                       -- the first of them
      PRIMARY KEY (kind, subject)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX attemptBySince ON attempt (since);

    -- Devices and networks from which a user has signed in: what others do does not lock them out.
    CREATE TABLE knownDevice (
      hash   TEXT NOT NULL PRIMARY KEY,
      uid    TEXT NOT NULL,
      usedAt INTEGER NOT NULL,
      kind   TEXT NOT NULL DEFAULT 'cookie',          -- or network
      isOwners INTEGER NOT NULL DEFAULT 0             -- not only of a person who knows the password
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX knownDeviceByAccount ON knownDevice (uid, usedAt);
    CREATE INDEX knownDeviceByUse ON knownDevice (usedAt);

    CREATE TABLE upkeep (task TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    """

  /// Programs that administer the project, and what an administrator configures over the protocol. The programs'
  /// private keys are only in their owners' files, never here.
  private static let administration = """
    CREATE TABLE serviceAccount (
      email     TEXT NOT NULL PRIMARY KEY,
      id        TEXT NOT NULL UNIQUE,                 -- another one for a later account of the same name
      tokenURL  TEXT NOT NULL,                        -- where its file says that it gets access tokens
      createdAt INTEGER NOT NULL                      -- milliseconds
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE serviceAccountKey (
      account   TEXT NOT NULL,                        -- the account's id, which no other account ever has
      keyID     TEXT NOT NULL,
      publicKey TEXT NOT NULL,                        -- PEM
      createdAt INTEGER NOT NULL,                     -- milliseconds
      PRIMARY KEY (account, keyID)
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER serviceAccountKeysEnd AFTER DELETE ON serviceAccount BEGIN
      DELETE FROM serviceAccountKey WHERE account = OLD.id;
    END;

    CREATE TABLE resource (
      kind     TEXT NOT NULL,                         -- tenant, oauthIdpConfig, inboundSamlConfig
      tenant   TEXT NOT NULL,                         -- empty for the project itself
      id       TEXT NOT NULL,
      document TEXT NOT NULL,                         -- JSON
      PRIMARY KEY (kind, tenant, id)
    ) STRICT, WITHOUT ROWID;
    """

  private static let emulator = """
    -- Has a row if the home is an emulator's, which lets anyone sign in as any user.
    CREATE TABLE emulator (mark INTEGER NOT NULL PRIMARY KEY CHECK (mark = 1)) STRICT;
    """
}
