import Foundation
import GRDB
import GatehouseBase
import GatehouseJOSE
import GatehouseLocal
import HangGuard
import IdentityToolkit
import Testing

/// What a provider does with the files that it finds.
struct OpeningTests {
  @Test func `backends that open a new home at once end with one key`() async throws {
    let scene = Scene()
    let names = try await withThrowingTaskGroup(of: [String?].self) { group in
      for _ in 0..<8 { group.addTask { try await scene.another().keySet().keys.map(\.keyID) } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(names.count == 1)
    #expect(names.first?.count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scene.folder.home + "/keys").count == 1)
  }

  @Test(.endsIfItHangs) func `processes that open a new home at once end with one key`() async throws {
    let folder = TemporaryFolder()
    let path = folder.path
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask {
          await #expect(processExitsWith: .success) { [path = path as String, number = number as Int] in
            endIfItHangs()
            let backend = LocalBackend.cheap(path + "/home", signing: .rs256)
            let names = try await backend.keySet().keys.compactMap(\.keyID).joined(separator: ",")
            let email = "user\(number)@example.com"
            _ = try await backend.answer(SignUp(email: email, password: Secret("correct horse")))
            try Data(names.utf8).write(to: URL(fileURLWithPath: path + "/saw-\(number)"))
          }
        }
      }
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: path + "/home/keys")
    #expect(names.count == 1)
    for number in 0..<4 {
      #expect(try String(contentsOfFile: path + "/saw-\(number)", encoding: .utf8) + ".pem" == names.first)
    }
  }

  @Test func `calls that come while a home is being opened are all answered`() async throws {
    let scene = Scene()
    let users = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<16 { group.addTask { try await scene.signUpAnonymously().localId } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(users.count == 16)
  }

  @Test func `a home is what it was after it has been closed and opened again`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let keyID = try await scene.backend.keySet().keys.first?.keyID
    let again = scene.another()
    #expect(try await again.keySet().keys.first?.keyID == keyID)
    let call = SignInWithPassword(email: "ada@example.com", password: Secret("correct horse"))
    #expect(try await again.answer(call).localId == user.localId)
    _ = try await again.answer(Lookup(idToken: user.idToken))
  }

  @Test func `a database from a newer version is refused and left as it was`() async throws {
    let folder = TemporaryFolder()
    try await Self.leaveHome(folder)
    let accounts = folder.home + "/accounts.sqlite"
    try Self.execute("INSERT INTO grdb_migrations (identifier) VALUES ('999 from the future')", folder)
    let before = try Self.contents(folder.home)
    let error = await expectRefusal(.providerTooNew) { try await LocalBackend.cheap(folder.home).open() }
    #expect(error?.message.contains(accounts) == true)
    #expect(try Self.contents(folder.home) == before)
  }

  @Test func `a database that is no database is refused and left as it was`() async throws {
    let folder = TemporaryFolder()
    try await Self.leaveHome(folder)
    try Self.write(Data(repeating: 0x2A, count: 8192), to: folder.home + "/accounts.sqlite")
    let before = try Self.contents(folder.home)
    await expectRefusal(.providerDamaged) { try await LocalBackend.cheap(folder.home).open() }
    #expect(try Self.contents(folder.home) == before)
  }

  @Test func `a database with pages of nonsense is refused`() async throws {
    let folder = TemporaryFolder()
    try await Self.leaveHome(folder)
    let accounts = folder.home + "/accounts.sqlite"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: accounts))
    for place in 4096..<bytes.count { bytes[place] = 0x2A }
    try Self.write(bytes, to: accounts)
    await expectRefusal(.providerDamaged) {
      let backend = LocalBackend.cheap(folder.home)
      return try await backend.answer(SignInWithPassword(email: "ada@example.com", password: Secret("correct horse")))
    }
  }

  @Test(arguments: [true, false]) func `a database that is missing or empty, beside keys, is not begun anew`(
    _ isMissing: Bool
  ) async throws {
    let folder = TemporaryFolder()
    try await Self.leaveHome(folder)
    let accounts = folder.home + "/accounts.sqlite"
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: accounts + end) }
    if !isMissing {
      try Self.write(Data(), to: accounts)
    }
    await expectRefusal(.providerDamaged) { try await LocalBackend.cheap(folder.home).open() }
  }

  @Test(arguments: ["missing", "another", "nonsense"]) func `a key that is not what it was is refused`(
    _ fault: String
  ) async throws {
    let folder = TemporaryFolder()
    try await Self.leaveHome(folder)
    let key = folder.home + "/keys/" + (try FileManager.default.contentsOfDirectory(atPath: folder.home + "/keys")[0])
    try FileManager.default.removeItem(atPath: key)
    switch fault {
    case "another":
      let other = TemporaryFolder()
      try await Self.leaveHome(other)
      let name = try FileManager.default.contentsOfDirectory(atPath: other.home + "/keys")[0]
      try FileManager.default.copyItem(atPath: other.home + "/keys/" + name, toPath: key)
    case "nonsense":
      try Self.write(Data("nonsense".utf8), to: key)
    default: break
    }
    await expectRefusal(.providerDamaged) { try await LocalBackend.cheap(folder.home).open() }
  }

  @Test func `a password hash that was never written is refused as damage`() async throws {
    let folder = TemporaryFolder()
    try await Self.leaveHome(folder)
    try Self.execute("UPDATE account SET password = 'scrypt$16777216$64$64$AAAA$AAAA'", folder)
    let call = SignInWithPassword(email: "ada@example.com", password: Secret("correct horse"))
    await expectRefusal(.providerDamaged) { try await LocalBackend.cheap(folder.home).answer(call) }
  }

  @Test func `on a full disk a sign-up is refused and changes nothing`() async throws {
    // SQLite's own limit on pages: what it answers is what it answers on a full disk.
    let scene = Scene()
    let user = try await scene.signUp()
    let full = scene.another { $0.pragmas = ["PRAGMA max_page_count = 1"] }
    var refusal: AuthError?
    for number in 0..<200 where refusal == nil {
      let name = String(repeating: "n", count: 256)
      let call = SignUp(email: "user\(number)@example.com", password: Secret("correct horse"), displayName: name)
      do throws(AuthError) { _ = try await full.answer(call) } catch {
        refusal = error
        await expectRefusal("EMAIL_NOT_FOUND") { try await scene.signIn("user\(number)@example.com") }
      }
    }
    #expect(refusal?.code == .providerUnavailable)
    #expect(refusal?.message.contains("full") == true)
    _ = try await full.answer(Lookup(idToken: user.idToken))
  }

  @Test func `a sign-up and a backup name the limit on the size of files that they reach`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      signal(SIGXFSZ, SIG_IGN)
      let scene = Scene()
      try await scene.signUp()
      var limit = rlimit(rlim_cur: 16 << 10, rlim_max: 16 << 10)
      #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
      let errors = [
        await expectRefusal(.providerUnavailable) { try await scene.signUp("grace@example.com") },
        await expectRefusal(.providerUnavailable) { try await scene.signIn() },
        await expectRefusal(.providerUnavailable) {
          try await scene.backend.backup(to: scene.folder.path + "/backup.tar")
        },
      ]
      for error in errors {
        #expect(error?.message.contains("a limit on the size of files") == true, "\(error?.message ?? "no error")")
        #expect(error?.message.contains("ulimit -f") == true)
      }
    }
  }

  @Test func `an error whose text SQLite has forgotten is told by its code`() {
    #expect(AuthError.databaseWords("disk I/O error", code: 778) == "disk I/O error")
    for forgotten in ["not an error", nil] { #expect(AuthError.databaseWords(forgotten, code: 778) == "code 778") }
  }

  @Test func `a read-only database is refused where it is written`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let readOnly = scene.another { $0.pragmas = ["PRAGMA query_only = 1"] }
    let error = await expectRefusal(.providerUnavailable) { try await readOnly.answer(SignUp()) }
    #expect(error?.message.contains("read-only") == true)
    _ = try await scene.lookUp(user.idToken)
  }

  /// A home with one account, which no process has open any more.
  private static func leaveHome(_ folder: TemporaryFolder) async throws {
    await #expect(processExitsWith: .success) { [home = folder.home as String] in
      endIfItHangs()
      _ = try await LocalBackend.cheap(home).answer(SignUp(email: "ada@example.com", password: Secret("correct horse")))
    }
    try execute("PRAGMA wal_checkpoint(TRUNCATE)", folder)
  }

  /// Changes the database behind the provider's back, and leaves nothing but the database file.
  private static func execute(_ sql: String, _ folder: TemporaryFolder) throws {
    let queue = try DatabaseQueue(path: folder.home + "/accounts.sqlite")
    try queue.inDatabase { db in try db.execute(sql: sql) }
    try queue.close()
  }

  private static func write(_ bytes: Data, to path: String) throws {
    try bytes.write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }

  /// The files of a home, byte for byte, but for those that SQLite keeps beside a database while it is read.
  private static func contents(_ home: String) throws -> [String: Data] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: home).filter { !$0.hasSuffix("-shm") }
    let files = names.reduce(into: [:]) { found, name in
      found[name] = FileManager.default.contents(atPath: home + "/" + name)
    }
    return files.filter { !($0.key.hasSuffix("-wal") && $0.value.isEmpty) }
  }
}
