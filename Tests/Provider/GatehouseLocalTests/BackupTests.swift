import Foundation
import GRDB
import Gatehouse
import GatehouseBase
import GatehouseJOSE
import GatehouseLocal
import GatehouseQueues
import GatehouseSystem
import Glibc
import HangGuard
import IdentityToolkit
import Testing

/// Backups, as their owner makes and restores them.
struct BackupTests {
  @Test func `a restored provider is the one of the moment of the backup`() async throws {
    let backup = try await BackupScene()
    try await backup.scene.signUp("later@example.com")
    let restored = try await LocalBackend.restore(from: backup.file, to: backup.target)
    #expect(restored.accounts == 1 && restored.keys == 1 && restored.replaced == nil)
    let backend = LocalBackend.cheap(backup.target, backup.scene.clock)
    #expect(try await backup.signIn(in: backup.target).localId == backup.user.localId)
    _ = try await backend.answer(Lookup(idToken: backup.user.idToken))
    _ = try await backend.answer(ExchangeRefreshToken(refreshToken: backup.user.refreshToken))
    let later = SignInWithPassword(email: "later@example.com", password: Secret("correct horse"))
    await expectRefusal("EMAIL_NOT_FOUND") { try await backend.answer(later) }
    let keys = try await backend.keySet().keys.map(\.keyID)
    #expect(try await backup.scene.backend.keySet().keys.map(\.keyID) == keys)
  }

  @Test func `a backup says what it holds, is for its owner only, and leaves nothing else behind`() async throws {
    let scene = Scene()
    try await scene.signUp()
    _ = try await scene.signUpAnonymously()
    await scene.backend.settle()
    let before = try scene.folder.names
    let file = scene.folder.path + "/backup.tar"
    let made = try await scene.backend.backup(to: file)
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(attributes[.size] as? Int == made.bytes)
    #expect(made.accounts == 2 && made.keys == 1)
    #expect(try scene.folder.names == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scene.folder.path).sorted() == ["backup.tar", "home"])
  }

  @Test func `a backup is made while another process writes, and holds nothing that is not committed`() async throws {
    let backup = try await BackupScene()
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true  // one is left open until the backup has been made
    let writer = try DatabaseQueue(
      path: backup.scene.folder.home + "/accounts.sqlite", configuration: configuration)
    try await writer.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN IMMEDIATE; DELETE FROM account")
    }
    let made = try await backup.scene.backend.backup(to: backup.file, replacing: true)
    #expect(made.accounts == 1)
    try await writer.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
    try await LocalBackend.restore(from: backup.file, to: backup.target)
    #expect(try await backup.signIn(in: backup.target).localId == backup.user.localId)
  }

  @Test func `a file that is there is replaced only on request, and in one step`() async throws {
    let backup = try await BackupScene()
    let old = try backup.bytes
    try await backup.scene.signUp("later@example.com")
    await expectRefusal(.invalidArgument) { try await backup.scene.backend.backup(to: backup.file) }
    #expect(try backup.bytes == old)
    // The provider is damaged: no backup of it replaces a good one.
    let key = backup.scene.folder.home + "/keys/" + (try #require(backup.scene.keys.first))
    try FileManager.default.moveItem(atPath: key, toPath: backup.scene.folder.path + "/away")
    await expectRefusal(.providerDamaged) {
      try await backup.scene.backend.backup(to: backup.file, replacing: true)
    }
    #expect(try backup.bytes == old)
    try FileManager.default.moveItem(atPath: backup.scene.folder.path + "/away", toPath: key)
    #expect(try await backup.scene.backend.backup(to: backup.file, replacing: true).accounts == 2)
  }

  @Test func `a backup that is killed leaves no copy of the database behind`() async throws {
    let folder = TemporaryFolder()
    let clock = HeldClock()
    let backend = LocalBackend.cheap(folder.home, clock)
    try await backend.open()
    let names = try folder.names
    clock.hold()
    let backup = Task { try await backend.backup(to: folder.path + "/backup.tar") }
    await clock.isAsked()
    // The database has been copied: the copy has no name any more, and goes with the process.
    #expect(try folder.names == names)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["home"])
    clock.release()
    #expect(try await backup.value.keys == 1)
  }

  @Test(arguments: ["", "a\0b", "/nowhere/backup.tar"]) func `a backup to a path that is none is refused`(
    _ path: String
  ) async throws {
    let scene = Scene()
    await #expect(throws: AuthError.self) { try await scene.backend.backup(to: path) }
    await #expect(throws: AuthError.self) { try await LocalBackend.restore(from: path, to: scene.folder.home) }
    await expectRefusal(.invalidArgument) { try await LocalBackend.restore(from: "/etc/passwd", to: "") }
  }

  @Test func `a provider that is there is replaced only on request, and kept`() async throws {
    let backup = try await BackupScene()
    let home = backup.scene.folder.home
    try await backup.scene.signUp("later@example.com")
    try await backup.scene.backend.close()
    await expectRefusal(.providerExists) { try await LocalBackend.restore(from: backup.file, to: home) }
    for number in 1...2 {
      let restored = try await LocalBackend.restore(from: backup.file, to: home, replacing: true)
      #expect(restored.replaced == "\(home).replaced-\(number)")
    }
    #expect(try await backup.signIn(in: home).localId == backup.user.localId)
    let later = SignInWithPassword(email: "later@example.com", password: Secret("correct horse"))
    let old = LocalBackend.cheap("\(home).replaced-1", backup.scene.clock)
    _ = try await old.answer(later)
    let names = try FileManager.default.contentsOfDirectory(atPath: backup.scene.folder.path).sorted()
    #expect(names == ["backup.tar", "home", "home.replaced-1", "home.replaced-2"])
  }

  /// A program that is just being started has all open files, until it is executed.
  @Test func `a provider that is closed is not in use while a program is being started`() async throws {
    let backup = try await BackupScene()
    let home = backup.scene.folder.home
    let files = FileManager.default, all = "/proc/self/fd"
    let inUse = try files.contentsOfDirectory(atPath: all).filter {
      (try? files.destinationOfSymbolicLink(atPath: "\(all)/\($0)"))?.hasSuffix("\(home)/in-use.lock") == true
    }
    let copies = inUse.compactMap { Int32($0) }.map { dup($0) }
    defer { for copy in copies { close(copy) } }
    #expect(copies.count == 1)
    try await backup.scene.backend.close()
    _ = try await LocalBackend.restore(from: backup.file, to: home, replacing: true)
  }

  @Test func `a restore that is killed after its one step has kept the old provider under its name`() async throws {
    let backup = try await BackupScene()
    let home = backup.scene.folder.home
    try await backup.scene.signUp("later@example.com")
    try await backup.scene.backend.close()
    let folder = backup.scene.folder.path
    let names = Lock<[String]>([])
    _ = try await LocalBackend.restore(from: backup.file, to: home, replacing: true, patience: Double(Watchdog.seconds))
    {
      let there = (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? []
      names.withLock { $0 = there }
    }
    #expect(names.withLock { $0 } == ["backup.tar", "home", "home.replaced-1"])
    let later = SignInWithPassword(email: "later@example.com", password: Secret("correct horse"))
    _ = try await LocalBackend.cheap("\(home).replaced-1", backup.scene.clock).answer(later)
  }

  @Test func `a restore removes what a killed one left half built, and nothing that may be a provider`() async throws {
    let backup = try await BackupScene()
    let left = [
      "home.building-00000000000000000000000000000000", "home.building-\(String(repeating: "f", count: 32))",
      "home.restoring-00000000000000000000000000000000", "other.building-00000000000000000000000000000000",
      "home.building-mine",
    ]
    for name in left {
      try FileManager.default.createDirectory(
        atPath: "\(backup.scene.folder.path)/\(name)/keys", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    // The second one is being built at this moment.
    let building = try OpenFolder("\(backup.scene.folder.path)/\(left[1])")
      .open("opening.lock", .readingOrMaking)
    try #expect(building.tryLock())
    try await backup.scene.backend.close()
    try await LocalBackend.restore(from: backup.file, to: backup.scene.folder.home, replacing: true)
    let names = try FileManager.default.contentsOfDirectory(atPath: backup.scene.folder.path)
    let expected = Set(["backup.tar", "home", "home.replaced-1"]).union(left.dropFirst())
    #expect(Set(names) == expected)
    building.unlock()
  }

  @Test func `a provider that is open is not replaced`() async throws {
    let backup = try await BackupScene()
    let home = backup.scene.folder.home
    let error = await expectRefusal(.providerUnavailable) {
      try await LocalBackend.restore(from: backup.file, to: home, replacing: true)
    }
    #expect(error?.message.contains("process \(getpid()) has \(home) open") == true)
    try await backup.scene.signUp("later@example.com")
    #expect(try FileManager.default.contentsOfDirectory(atPath: backup.scene.folder.path).count == 2)
    try await backup.scene.backend.close()
    try await LocalBackend.restore(from: backup.file, to: home, replacing: true)
  }

  @Test(arguments: ["accounts.sqlite", "keys"]) func `a provider that is damaged is replaced all the same`(
    _ name: String
  ) async throws {
    let backup = try await BackupScene()
    let home = backup.scene.folder.home
    try await backup.scene.backend.close()
    try FileManager.default.removeItem(atPath: "\(home)/\(name)")
    try Data("nonsense".utf8).write(to: URL(fileURLWithPath: "\(home)/\(name)"))
    try await LocalBackend.restore(from: backup.file, to: home, replacing: true)
    #expect(try await backup.signIn(in: home).localId == backup.user.localId)
  }

  @Test func `an empty folder is restored to`() async throws {
    let backup = try await BackupScene()
    try FileManager.default.createDirectory(
      atPath: backup.target, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try await LocalBackend.restore(from: backup.file, to: backup.target)
    #expect(try await backup.signIn(in: backup.target).localId == backup.user.localId)
  }

  @Test func `a restore waits for a process that opens the folder, but not for ever`() async throws {
    let backup = try await BackupScene()
    try await backup.scene.backend.close()
    let held = try OpenFolder(backup.scene.folder.home).open("opening.lock")
    try #expect(held.tryLock())
    let error = await expectRefusal(.providerUnavailable) {
      try await LocalBackend.restore(from: backup.file, to: backup.scene.folder.home, replacing: true, patience: 0)
    }
    #expect(error?.message.contains("opening.lock") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: backup.scene.folder.path).count == 2)
  }

  /// It waits for the old folder's lock while a restore puts a new folder in its place.
  @Test func `a process that waits to open a folder opens the one that was restored`() async throws {
    let scene = Scene { $0.patience = 60 }
    let home = scene.folder.home
    for path in [home, scene.folder.path + "/new"] {
      let backend = LocalBackend.cheap(path, scene.clock)
      try await backend.open()
      try await backend.close()
    }
    let lock = home + "/opening.lock"
    let old = try OpenFolder(home).open("opening.lock")
    let new = try OpenFolder(scene.folder.path + "/new").open("opening.lock")
    try #expect(old.tryLock() && new.tryLock())
    let isOver = Lock(false)
    let opening = Task {
      defer { isOver.withLock { $0 = true } }
      try await scene.backend.open()
    }
    while Self.openFiles(at: lock) < 2, !isOver.withLock({ $0 }) { await Task.yield() }
    try FileManager.default.moveItem(atPath: home, toPath: scene.folder.path + "/old")
    try FileManager.default.moveItem(atPath: scene.folder.path + "/new", toPath: home)
    old.unlock()
    // It has the old lock now, and waits for the one of the folder that it is about to open.
    while Self.openFiles(at: lock) < 2, !isOver.withLock({ $0 }) { await Task.yield() }
    #expect(!isOver.withLock { $0 })
    new.unlock()
    try await opening.value
  }

  /// How many files this process has open at a path.
  private static func openFiles(at path: String) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.count { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path }
  }
}
