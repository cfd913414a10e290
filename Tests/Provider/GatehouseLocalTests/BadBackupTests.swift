import Foundation
import GRDB
import GatehouseBase
import GatehouseCrypto
import GatehouseLocal
import Glibc
import HangGuard
import Testing

/// What is no whole backup is refused before anything is changed.
struct BadBackupTests {
  @Test func `an archive that was cut short anywhere is refused`() async throws {
    let backup = try await BackupScene()
    let bytes = try backup.bytes
    for length in Array(stride(from: 0, to: bytes.count, by: 512)) + [1, 511, 513, bytes.count - 1] {
      await expectRefusal(.backupInvalid) { try await backup.restore(Array(bytes.prefix(length))) }
    }
    await expectRefusal(.backupInvalid) { try await backup.restore(bytes + [0]) }
    await expectRefusal(.backupInvalid) { try await backup.restore(bytes + bytes) }
    try backup.expectNothing()
    try await backup.restore(bytes)
  }

  @Test func `an archive with one byte that differs is refused`() async throws {
    let backup = try await BackupScene()
    let bytes = try backup.bytes
    // Every byte of the first header, and some of everything else.
    for offset in Array(0..<512) + Array(stride(from: 512, to: bytes.count, by: 397)) {
      var changed = bytes
      changed[offset] ^= 0x01
      await #expect(throws: AuthError.self, "\(offset)") { try await backup.restore(changed) }
    }
    try backup.expectNothing()
  }

  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: String
    let change: @Sendable (inout [Tar.File]) throws -> Void

    init(_ name: String, _ reason: String, _ change: @escaping @Sendable (inout [Tar.File]) throws -> Void) {
      testDescription = name
      self.reason = reason
      self.change = change
    }
  }

  /// The files are FORMAT, accounts.sqlite and one key; the sums are right in each case.
  static let changes = [
    Change("a key outside", "not a key's") { $0[2].name = "keys/../../evil.pem" },
    Change("a key in a folder below", "not a key's") { $0[2].name = "keys/below/" + $0[2].name.dropFirst(5) },
    Change("a file outside", "not a key's") { $0.append(Tar.File(name: "../evil", bytes: [1])) },
    Change("a file at the root", "not a key's") { $0.append(Tar.File(name: "/evil", bytes: [1])) },
    Change("a file that is none of ours", "not a key's") { $0.append(Tar.File(name: "opening.lock", bytes: [])) },
    Change("a key twice", "not a key's") { $0.append($0[2]) },
    Change("no key", "no key") { $0.removeLast() },
    Change("no database", "no database") { $0.remove(at: 1) },
    Change("no format", "its format") { $0.removeFirst() },
    Change("another format", "its format") { $0[0].bytes = Array("gatehouse session 1\n".utf8) },
    Change("more files than a provider has keys", "not an archive of") { files in
      files += (0..<1000).map { Tar.File(name: "keys/\($0)", bytes: []) }
    },
    Change("a symbolic link", "not an archive of") { $0[2].type = UInt8(ascii: "2") },
    Change("a folder", "not an archive of") { $0[2].type = UInt8(ascii: "5") },
    Change("a file of 8 GiB", "not an archive of") { $0[1].claimed = "77777777777" },
    Change("a file of a negative length", "not an archive of") { $0[1].claimed = "-0000000001" },
    Change("a file shorter than it is", "not an archive of") { $0[1].claimed = "00000000001" },
    Change("a database that is none", "not restored") { $0[1].bytes = [UInt8](repeating: 0x2A, count: 8192) },
    Change("an empty database", "not restored") { $0[1].bytes = [] },
    Change("a database with pages of nonsense", "not restored") { files in
      for offset in 4096..<files[1].bytes.count { files[1].bytes[offset] = 0x2A }
    },
    // A page that nothing but the check of all pages reads.
    Change("a database with an index of zeros", "not restored") { files in
      let page = try Self.rootPage(of: "refreshTokenByAccount", in: files[1].bytes)
      for offset in ((page - 1) * 4096)..<(page * 4096) { files[1].bytes[offset] = 0 }
    },
    Change("a key that is none", "not restored") { $0[2].bytes = Array("nonsense".utf8) },
    Change("another key under the name", "not restored") { files in
      files[2].bytes = Array(try PrivateKey.generate(.p256).pem().revealed.utf8)
    },
    Change("a key that the database does not name", "not restored") { files in
      files.append(Tar.File(name: "keys/\(String(repeating: "A", count: 43)).pem", bytes: files[2].bytes))
    },
    Change("another key than the database names", "not restored") { files in
      files[2].name = "keys/\(String(repeating: "A", count: 43)).pem"
    },
  ]

  @Test(arguments: changes) func `an archive that says something else is refused`(change: Change) async throws {
    let backup = try await BackupScene()
    var files = try backup.files
    // The test's own archive is good, so that only the change is what is refused.
    try await backup.restore(files)
    try FileManager.default.removeItem(atPath: backup.target)
    try change.change(&files)
    let changed = files
    let error = await expectRefusal(.backupInvalid) { try await backup.restore(changed) }
    #expect(error?.message.contains(change.reason) == true, "\(String(describing: error))")
    try backup.expectNothing()
  }

  private static func rootPage(of index: String, in database: [UInt8]) throws -> Int {
    let folder = TemporaryFolder()
    let path = folder.path + "/copy.sqlite"
    try Data(database).write(to: URL(fileURLWithPath: path))
    let page = try DatabaseQueue(path: path).read { db in
      try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_schema WHERE name = ?", arguments: [index])
    }
    return try #require(page)
  }

  @Test func `an archive of a later version is refused as such`() async throws {
    let backup = try await BackupScene()
    var files = try backup.files
    files[0].bytes = Array("gatehouse provider backup 2\n".utf8)
    let changed = files
    await expectRefusal(.providerTooNew) { try await backup.restore(changed) }
    try backup.expectNothing()
  }

  @Test func `a pipe, a device and a folder are refused, and a link is followed`() async throws {
    let backup = try await BackupScene()
    let pipe = backup.scene.folder.path + "/pipe"
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    await #expect(processExitsWith: .success) { [pipe = pipe as String, target = backup.target as String] in
      endIfItHangs()
      for path in [pipe, "/dev/zero", "/"] {
        await expectRefusal(.providerUnsafe) { try await LocalBackend.restore(from: path, to: target) }
      }
    }
    let link = backup.scene.folder.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: backup.file)
    try await LocalBackend.restore(from: link, to: backup.target)
  }
}

extension BackupScene {
  /// Expects that nothing was restored, and nothing left behind.
  fileprivate func expectNothing() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: scene.folder.path).sorted()
    #expect(names == ["backup.tar", "home"])
  }
}
