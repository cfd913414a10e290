import Foundation
import GatehouseBase
import GatehouseCrypto
import GatehouseLocal
import GatehouseQueues
import GatehouseSystem
import IdentityToolkit
import Testing

/// What the embedded provider asks of the system, and what it does when the system refuses.
struct SystemTests {
  /// The folders that were made, and not synced afterwards in the folder above.
  private static func unsynced(_ calls: [String]) -> [String] {
    let made = Set(calls.filter { $0.hasPrefix("mkdir ") }.map { $0.dropFirst("mkdir ".count) })
    return made.sorted().compactMap { folder in
      let last = calls.lastIndex { $0 == "mkdir \(folder)" } ?? 0
      let parent = FileLocation(String(folder)).folder
      return calls[last...].contains("fsync \(parent)") ? nil : String(folder)
    }
  }

  private static func calls(of body: () throws -> Void) rethrows -> [String] {
    let calls = Lock<[String]>([])
    try SystemFaults.heard(by: { call, path in
      calls.withLock { $0.append("\(call) \(path)") }; return nil
    }) { try body() }
    return calls.withLock { $0 }
  }

  /// Otherwise a power cut takes the whole provider with it, though a sign-up was answered.
  @Test func `every folder that is made is on the disk before the provider is used`() throws {
    let folder = TemporaryFolder()
    let home = try HomeFolder(path: folder.path + "/a/b/home")
    let opening = try Self.calls { try home.lockedForOpening(mayBeNew: true, patience: 0).unlock() }
    #expect(opening.count { $0.hasPrefix("mkdir ") } > 2)
    #expect(Self.unsynced(opening) == [])
    let key = try PrivateKey.generate(.p256)
    let writing = try Self.calls { try home.writeUnfinishedKey("new", key) }
    #expect(writing.contains("mkdir \(home.path)/keys"))
    #expect(Self.unsynced(writing) == [])
  }

  @Test func `a restored provider is on the disk, with every folder above it`() async throws {
    let backup = try await BackupScene()
    let home = try HomeFolder(path: backup.scene.folder.path + "/x/y/restored")
    let calls = try Self.calls {
      _ = try Restoration(file: backup.file, home: home, patience: 0).run(replacing: false)
    }
    #expect(calls.count { $0.hasPrefix("mkdir ") } > 3)
    #expect(Self.unsynced(calls) == [])
    let renaming = try #require(calls.lastIndex { $0.hasPrefix("rename ") })
    #expect(calls[renaming...].contains("fsync \(backup.scene.folder.path)/x/y"))
  }

  @Test func `a file system that cannot sync folders can hold a provider`() async throws {
    let backup = try await BackupScene()
    let home = try HomeFolder(path: backup.scene.folder.path + "/x/restored")
    let cannot: SystemFaults.Ear = { call, path in
      guard call == "fsync", let status = try? FileStatus.at(path), status.kind == .folder else { return nil }
      return .invalid
    }
    try SystemFaults.heard(by: cannot) {
      _ = try Restoration(file: backup.file, home: home, patience: 0).run(replacing: false)
      try home.lockedForOpening(mayBeNew: false, patience: 0).unlock()
    }
    #expect(try await backup.signIn(in: home.path).localId == backup.user.localId)
  }

  @Test func `a signal in the middle of a call changes nothing`() async throws {
    let backup = try await BackupScene()
    let home = try HomeFolder(path: backup.scene.folder.path + "/x/restored")
    let isInterrupted = Lock(false)
    let everySecond: SystemFaults.Ear = { _, _ in
      isInterrupted.withLock { isInterrupted in
        isInterrupted.toggle()
        return isInterrupted ? .interrupted : nil
      }
    }
    try SystemFaults.heard(by: everySecond) {
      _ = try Restoration(file: backup.file, home: home, patience: 0).run(replacing: false)
      let again = try Restoration(file: backup.file, home: home, patience: 0).run(replacing: true)
      #expect(again.replaced == home.path + ".replaced-1")
    }
    #expect(try await backup.signIn(in: home.path).localId == backup.user.localId)
  }

  /// A slash and an accent after it are one `Character`, and two bytes of a path.
  @Test func `a folder whose name begins with an accent is a folder`() async throws {
    let folder = TemporaryFolder()
    let home = folder.path + "/\u{301}a/\u{301}b/home"
    try await LocalBackend.cheap(home).open()
    #expect(FileManager.default.fileExists(atPath: home + "/accounts.sqlite"))
  }

  @Test(arguments: ["opening.lock", "in-use.lock"], ["open to others", "a folder"])
  func `a lock that others could hold or replace is refused`(_ name: String, _ fault: String) async throws {
    let scene = Scene()
    try await scene.backend.open()
    let path = "\(scene.folder.home)/\(name)"
    if fault == "a folder" {
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    } else {
      try FileManager.default.setAttributes([.posixPermissions: 0o622], ofItemAtPath: path)
    }
    let code = fault == "a folder" ? AuthError.Code.providerUnavailable : .providerUnsafe
    let error = await expectRefusal(code) { try await scene.another().open() }
    #expect(error?.message.contains(path) == true, "\(error?.message ?? "")")
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file away"), arguments: ["opening.lock", "in-use.lock"])
  func `a lock that belongs to another user is refused`(_ name: String) async throws {
    let scene = Scene()
    try await scene.backend.open()
    let path = "\(scene.folder.home)/\(name)"
    try FileManager.default.setAttributes([.ownerAccountID: 65534], ofItemAtPath: path)
    let error = await expectRefusal(.providerUnsafe) { try await scene.another().open() }
    #expect(error?.message.contains("chown") == true)
  }

  @Test func `a file that was made while the backup was is not replaced`() async throws {
    let folder = TemporaryFolder()
    let clock = HeldClock()
    let backend = LocalBackend.cheap(folder.home, clock)
    try await backend.open()
    clock.hold()
    let file = folder.path + "/backup.tar"
    let backup = Task { try await backend.backup(to: file) }
    await clock.isAsked()
    try Data("another program's".utf8).write(to: URL(fileURLWithPath: file))
    clock.release()
    let error = await expectRefusal(.invalidArgument) { _ = try await backup.value }
    #expect(error?.message.contains("is there already") == true)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "another program's")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["backup.tar", "home"])
  }

  @Test(arguments: ["..", "a/..", "a/b/../.."])
  func `a folder without a name of its own is not restored to`(_ end: String) async throws {
    let backup = try await BackupScene()
    let folder = backup.scene.folder.path + "/empty"
    try FileManager.default.createDirectory(atPath: folder + "/a/b", withIntermediateDirectories: true)
    let error = await expectRefusal(.invalidArgument) {
      try await LocalBackend.restore(from: backup.file, to: "\(folder)/a/\(end)", replacing: true)
    }
    #expect(error?.message.contains("does not name a folder") == true)
  }
}
