import Foundation
import GatehouseBase
import GatehouseLocal
import HangGuard
import IdentityToolkit
import Testing

/// A provider on a small disk of its own, in memory. Needs root, and leave to mount.
@Suite(.serialized, .enabled(if: geteuid() == 0, "only root can mount a disk"))
struct DiskTests {
  @Test func `a disk that fills up refuses sign-ups, loses none, and serves those who are there`() async throws {
    let disk = try SmallDisk(kibibytes: 768)
    let backend = LocalBackend.cheap(disk.home)
    var users: [SignInResponse] = []
    var refusal: AuthError?
    for number in 0..<2000 where refusal == nil {
      let name = String(repeating: "n", count: 256)
      let call = SignUp(email: "user\(number)@example.com", password: Secret("correct horse"), displayName: name)
      do throws(AuthError) { users.append(try await backend.answer(call)) } catch { refusal = error }
    }
    #expect(refusal?.code == .providerUnavailable)
    #expect(users.count > 0)
    for user in users {
      let found = try await backend.answer(Lookup(idToken: user.idToken)).users?.first
      #expect(found?.email == user.email)
    }
  }

  @Test func `a disk that is full at the first start is refused, and the next start succeeds`() async throws {
    let disk = try SmallDisk(kibibytes: 64)
    let ballast = disk.path + "/ballast"
    #expect(FileManager.default.createFile(atPath: ballast, contents: Data(count: 40 * 1024)))
    let backend = LocalBackend.cheap(disk.home)
    await expectRefusal(.providerUnavailable) { try await backend.open() }
    try FileManager.default.removeItem(atPath: ballast)
    try disk.remount("size=1m")
    try await backend.open()
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.home + "/keys").count == 1)
  }

  @Test func `a sign-in, a sign-up, a backup and a start say that the disk is full`() async throws {
    let disk = try SmallDisk(kibibytes: 768)
    let backend = LocalBackend.cheap(disk.home)
    let address = "ada@example.com"
    _ = try await backend.answer(SignUp(email: address, password: Secret("correct horse")))
    let signIn = SignInWithPassword(email: address, password: Secret("correct horse"))
    let backup = TemporaryFolder()
    try disk.fill()
    var errors: [AuthError?] = [
      await expectRefusal(.providerUnavailable) { try await backend.requireWritable() },
      await expectRefusal(.providerUnavailable) { try await backend.answer(signIn) },
      await expectRefusal(.providerUnavailable) {
        try await backend.answer(SignUp(email: "b" + address, password: Secret("correct horse")))
      },
      await expectRefusal(.providerUnavailable) { try await backend.backup(to: backup.path + "/backup.tar") },
    ]
    try? await backend.close()
    let started = LocalBackend.cheap(disk.home)
    errors.append(await expectRefusal(.providerUnavailable) { try await started.answer(signIn) })
    for error in errors {
      #expect(error?.message.contains("the disk is full") == true, "\(error?.message ?? "no error")")
      #expect(error?.message.contains("make room") == true)
    }
    try disk.empty()
    _ = try await started.answer(signIn)
  }

  @Test func `an import that fills the disk says what is there, and goes on`() async throws {
    let disk = try SmallDisk(kibibytes: 2560)
    let backend = LocalBackend.cheap(disk.home)
    let folder = TemporaryFolder(), file = folder.path + "/users.json"
    let name = String(repeating: "n", count: 250)
    let users = (0..<5000).map { #"{"localId":"user\#($0)","displayName":"\#(name)"}"# }
    try Data(#"{"users":[\#(users.joined(separator: ","))]}"#.utf8).write(to: URL(filePath: file))
    let error = await #expect(throws: AuthError.self) { try await backend.importUsers(from: file) { _ in } }
    #expect(error?.code == .providerUnavailable)
    let told = error?.message.firstMatch(of: /the (\d+) rows before are imported/).flatMap { Int($0.output.1) }
    let count = try #require(told, "\(error?.message ?? "no error")")
    #expect(count > 0 && error?.message.contains("nothing was changed") == false)
    try disk.remount("size=16m")
    let result = try await backend.importUsers(from: file) { _ in }
    #expect(result.alreadyThere == count && result.imported == 5000 - count)
  }

  @Test func `a home on a read-only disk is refused`() async throws {
    let disk = try SmallDisk(kibibytes: 1024)
    await #expect(processExitsWith: .success) { [home = (disk.path + "/other") as String] in
      endIfItHangs()
      try await LocalBackend.cheap(home).open()
    }
    try disk.remount("ro")
    for home in [disk.home, disk.path + "/other"] {
      let error = await expectRefusal(.providerUnavailable) { try await LocalBackend.cheap(home).open() }
      #expect(error?.message.contains("ead-only") == true)
    }
  }
}

/// A disk in memory, unmounted with its owner.
private final class SmallDisk: Sendable {
  private let folder = TemporaryFolder()
  var path: String { folder.path + "/disk" }
  var home: String { path + "/home" }

  /// Cancels the test where mounting is not allowed, as in most containers.
  init(kibibytes: Int) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    guard try Self.run("mount", "-t", "tmpfs", "-o", "size=\(kibibytes)k,mode=700", "tmpfs", path) else {
      try Test.cancel("mounting is not allowed here")
    }
  }

  deinit { _ = try? Self.run("umount", "-l", path) }

  func remount(_ options: String) throws {
    #expect(try Self.run("mount", "-o", "remount,\(options)", path))
  }

  func fill() throws { #expect(try !Self.run("cat /dev/zero >", path + "/ballast")) }
  func empty() throws { try FileManager.default.removeItem(atPath: path + "/ballast") }

  /// By C's own door: Foundation's reads past the list of open files when there are more than 1,364 of them.
  private static func run(_ arguments: String...) throws -> Bool {
    unsafe system(arguments.joined(separator: " ") + " 2>/dev/null") == 0
  }
}
