import Foundation
import GRDB
import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import HangGuard
import IdentityToolkit
import Testing

/// Stores of a version that told the spellings of an address apart.
struct AddressMigrationTests {
  private static let stored = "\u{E4}da@example.com"
  private static let spellings = [stored, "a\u{308}da@example.com", "\u{C4}da@example.com", "A\u{308}DA@EXAMPLE.com"]

  /// Three accounts that meet under one address, and one that is alone. `b` is the oldest.
  private static func met() throws -> OldStore {
    try OldStore(
      OldStore.account("a", stored, createdAt: 2000) + OldStore.account("b", "\u{C4}da@example.com", createdAt: 1000)
        + OldStore.account("c", "a\u{308}da@example.com", createdAt: 3000)
        + OldStore.account("d", "GR\u{DC}N@example.com", createdAt: 500)
        + OldStore.session(of: "a") + OldStore.session(of: "b"))
  }

  private func signIn(_ email: String, _ backend: LocalBackend) async throws -> SignInResponse {
    try await backend.answer(SignInWithPassword(email: email, password: Secret(OldStore.password)))
  }

  @Test func `where accounts meet under one address, the oldest has it`() async throws {
    let store = try Self.met()
    let backend = LocalBackend.cheap(store.home)
    for spelling in Self.spellings { #expect(try await signIn(spelling, backend).localId == "b") }
    for spelling in ["GR\u{DC}N@example.com", "gru\u{308}n@EXAMPLE.com"] {
      #expect(try await signIn(spelling, backend).localId == "d")
    }
    let lost = try await backend.lostAddresses()
    #expect(lost.map(\.uid) == ["a", "c"] && lost.map(\.keptBy) == ["b", "b"])
    #expect(lost.map { Array($0.email.utf8) } == [Array(Self.stored.utf8), Array("a\u{308}da@example.com".utf8)])
    try await backend.close()
    #expect(
      try store.rows("SELECT uid, hex(email), emailVerified FROM account ORDER BY uid") == [
        ["a", "", "0"], ["b", "C3A46461406578616D706C652E636F6D", "1"], ["c", "", "0"],
        ["d", "6772C3BC6E406578616D706C652E636F6D", "1"],
      ])
  }

  @Test func `accounts of the same age are ordered by their identifiers`() async throws {
    let store = try OldStore(
      OldStore.account("b", Self.stored, createdAt: 1000)
        + OldStore.account("a", "\u{C4}da@example.com", createdAt: 1000))
    let backend = LocalBackend.cheap(store.home)
    #expect(try await signIn(Self.stored, backend).localId == "a")
    #expect(try await backend.lostAddresses().map(\.uid) == ["b"])
  }

  @Test func `an account without its address is the same account, and can get another address`() async throws {
    let store = try Self.met()
    let backend = LocalBackend.cheap(store.home)
    let refreshed = try await backend.answer(ExchangeRefreshToken(refreshToken: Secret(OldStore.token(of: "a"))))
    #expect(refreshed.userId == "a")
    let account = try #require(try await backend.answer(Lookup(idToken: refreshed.idToken)).users?.first)
    #expect(account.email == nil && account.displayName == "Name of a")
    #expect(account.providerUserInfo?.map(\.providerId) == ["password"])
    try await backend.setDisabled(uid: "c", true)

    var update = Update(idToken: refreshed.idToken)
    update.email = Self.stored
    await expectRefusal("EMAIL_EXISTS") { try await backend.answer(update) }
    #expect(try await backend.lostAddresses().map(\.uid) == ["a", "c"])
    update.email = "Other\u{C4}da@example.com"
    _ = try await backend.answer(update)
    #expect(try await signIn("other\u{E4}da@example.com", backend).localId == "a")
    #expect(try await backend.lostAddresses().map(\.uid) == ["c"])
  }

  @Test func `a deleted account leaves no address behind`() async throws {
    let store = try Self.met()
    let backend = LocalBackend.cheap(store.home)
    let refreshed = try await backend.answer(ExchangeRefreshToken(refreshToken: Secret(OldStore.token(of: "a"))))
    _ = try await backend.answer(Delete(idToken: refreshed.idToken))
    #expect(try await backend.lostAddresses().map(\.uid) == ["c"])
    // The account that got the address may go as well: the entry says what was.
    let kept = try await signIn(Self.stored, backend)
    _ = try await backend.answer(Delete(idToken: kept.idToken))
    #expect(try await backend.lostAddresses().map(\.keptBy) == ["b"])
  }

  @Test func `an address that is not one any more is lost to no account`() async throws {
    let store = try OldStore(OldStore.account("a", "ada\u{FF20}b@example.com", createdAt: 1000))
    let lost = try await LocalBackend.cheap(store.home).lostAddresses()
    #expect(lost.map(\.uid) == ["a"] && lost.map(\.keptBy) == [nil])
  }

  @Test func `failed sign-ins of all spellings count together`() async throws {
    let now = Int(SystemClocks().now().wall)
    let store = try OldStore(
      OldStore.account("a", Self.stored, createdAt: 1000) + """
        INSERT INTO failedSignIns VALUES ('\u{C4}da@example.com', 3, \(now - 100)), ('\(Self.stored)', 4, \(now - 900)),
          ('a\u{308}da@example.com', 3, \(now - 200)), ('ada\u{FF20}b@example.com', 1, \(now));
        """)
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await signIn(Self.stored, .cheap(store.home)) }
    #expect(
      try store.rows("SELECT hex(subject), count, since FROM attempt")
        == [["C3A46461406578616D706C652E636F6D", "10", "\(now - 100)"]])
  }

  @Test func `the upgrade is told once`() async throws {
    let store = try Self.met()
    let told = Lock<[Int]>([])
    for _ in 1...2 {
      let backend = LocalBackend.cheap(store.home) { options in
        options.addressesWereLost = { lost in told.withLock { $0.append(lost) } }
      }
      try await backend.open()
      try await backend.close()
    }
    #expect(told.withLock { $0 } == [2])
  }

  @Test func `a store without other spellings is upgraded, and nothing is told`() async throws {
    let store = try OldStore(OldStore.account("a", "ada@example.com", createdAt: 1000))
    let backend = LocalBackend.cheap(store.home) { options in
      options.addressesWereLost = { _ in Issue.record("no address was lost") }
    }
    #expect(try await signIn("ada@example.com", backend).localId == "a")
    #expect(try await backend.lostAddresses().isEmpty)
  }

  /// The kernel kills the process, or refuses to write, where its file of changes reaches a size that the upgrade must
  /// exceed.
  @Test(arguments: [true, false])
  func `an upgrade that is killed in the middle changes nothing, and the next one is whole`(
    _ isKilled: Bool
  ) async throws {
    let accounts = try (0..<600).map { number in
      try OldStore.account("\(10000 + number)", "\u{C4}da\(number / 2)\(number % 2)@example.com", createdAt: number)
    }
    let store = try OldStore(accounts.joined())
    let query = "SELECT uid, email FROM account ORDER BY uid"
    let before = try store.rows(query)
    await #expect(processExitsWith: isKilled ? .signal(SIGXFSZ) : .success) {
      [path = store.accounts as String, isKilled = isKilled as Bool] in
      endIfItHangs()
      // Some programs that start tests ignore it, and threads of dispatch queues block it.
      signal(SIGXFSZ, isKilled ? SIG_DFL : SIG_IGN)
      var mask = sigset_t()
      unsafe sigemptyset(&mask)
      unsafe sigaddset(&mask, SIGXFSZ)
      unsafe pthread_sigmask(SIG_UNBLOCK, &mask, nil)
      var limit = rlimit(rlim_cur: 96 << 10, rlim_max: 96 << 10)
      #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
      #expect(throws: AuthError.self) { try AccountDatabase(path: path, refusalOfEmpty: nil, pragmas: []) }
    }
    #expect(try store.rows(query) == before)
    #expect(try store.rows("SELECT identifier FROM grdb_migrations").count == 1)
    let backend = LocalBackend.cheap(store.home)
    #expect(try await signIn("\u{E4}da00@example.com", backend).localId == "10000")
    try await backend.close()
    #expect(try store.rows("SELECT 1 FROM account WHERE email LIKE '\u{E4}da%'").count == 600)
  }

  @Test func `a store that another program has open is not upgraded`() async throws {
    let store = try Self.met()
    // As every version holds it while it has the folder open.
    let lock = unsafe open(store.home + "/in-use.lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    #expect(lock >= 0 && flock(lock, LOCK_SH) == 0)
    let before = try Data(contentsOf: URL(filePath: store.accounts))
    let error = await expectRefusal(.providerUnavailable) { try await LocalBackend.cheap(store.home).open() }
    #expect(error?.message.contains("must be upgraded") == true)
    #expect(try Data(contentsOf: URL(filePath: store.accounts)) == before)
    flock(lock, LOCK_UN)
    close(lock)
    #expect(try await signIn(Self.stored, .cheap(store.home)).localId == "b")
  }

  @Test func `an older backup is upgraded while it is restored`() async throws {
    let backup = try await BackupScene()
    // The backup's own database, as the version before had it.
    let old = try OldStore()
    var files = try backup.files
    let index = try #require(files.firstIndex { $0.name == "accounts.sqlite" })
    try Data(files[index].bytes).write(to: URL(filePath: old.accounts))
    try old.execute(
      """
      DROP TRIGGER identityEpoch; DROP TRIGGER secondFactorEpoch;
      CREATE TABLE oldAccount (
        uid TEXT NOT NULL PRIMARY KEY, email TEXT UNIQUE, emailVerified INTEGER NOT NULL, displayName TEXT,
        photoURL TEXT, password TEXT, disabled INTEGER NOT NULL, createdAt INTEGER NOT NULL,
        lastLoginAt INTEGER NOT NULL, validSince INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      INSERT INTO oldAccount SELECT
        uid, email, emailVerified, displayName, photoURL, password, disabled, createdAt, lastLoginAt, validSince
        FROM account;
      DROP TABLE account; ALTER TABLE oldAccount RENAME TO account;
      DROP TABLE tenant; DROP TABLE serviceAccount; DROP TABLE serviceAccountKey;
      DROP TABLE resource;
      DROP TABLE knownDevice; DROP TABLE upkeep; DROP TABLE emulator; DROP TABLE rotationKey;
      DROP INDEX refreshTokenByEnd; DROP INDEX refreshTokenToMark;
      ALTER TABLE signingKey DROP COLUMN signsFrom;
      ALTER TABLE signingKey DROP COLUMN tokenSeconds; ALTER TABLE signingKey DROP COLUMN signedUntil;
      ALTER TABLE signingKey DROP COLUMN removing; ALTER TABLE refreshToken DROP COLUMN generation;
      ALTER TABLE refreshToken DROP COLUMN endedAt; ALTER TABLE refreshToken DROP COLUMN signedInAt;
      DROP TABLE attempt; DROP TABLE actionCode; DROP TABLE secondFactor; DROP TABLE pendingFactor;
      DROP TABLE pendingSignIn; DROP TABLE recoveryCode;
      DROP TABLE identity; DROP TABLE phoneCode;
      ALTER TABLE refreshToken DROP COLUMN claims; ALTER TABLE refreshToken DROP COLUMN factor;
      ALTER TABLE refreshToken DROP COLUMN factorID;
      CREATE TABLE failedSignIns (email TEXT NOT NULL PRIMARY KEY, count INTEGER NOT NULL, since INTEGER NOT NULL)
        STRICT, WITHOUT ROWID;
      DROP TABLE lostAddress;
      DELETE FROM grdb_migrations WHERE identifier NOT LIKE '1 %';
      """ + OldStore.account("y", "\u{C4}da@example.com", createdAt: 1)
        + OldStore.account("z", "\u{E4}da@example.com", createdAt: 2))
    files[index].bytes = try [UInt8](Data(contentsOf: URL(filePath: old.accounts)))
    let path = backup.scene.folder.path + "/old.tar"
    try Data(Tar.archive(try Tar.summed(files))).write(to: URL(filePath: path))

    let restored = try await LocalBackend.restore(from: path, to: backup.target)
    #expect(restored.accounts == 3 && restored.lostAddresses == 1)
    let backend = LocalBackend.cheap(backup.target, backup.scene.clock)
    #expect(try await signIn("A\u{308}da@example.com", backend).localId == "y")
    #expect(try await backend.lostAddresses().map(\.uid) == ["z"])
    #expect(try await backup.signIn(in: backup.target).localId == backup.user.localId)
    #expect(try await LocalBackend.restore(from: backup.file, to: backup.target + "2").lostAddresses == 0)
  }
}
