import Foundation
import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

struct HomeFolderTests {
  private func mode(_ path: String) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  private func set(_ attribute: FileAttributeKey, _ value: Int, _ path: String) throws {
    try FileManager.default.setAttributes([attribute: value], ofItemAtPath: path)
  }

  private func key(_ home: String) throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: home + "/keys")
    #expect(names.count == 1)
    return home + "/keys/" + (try #require(names.first))
  }

  @Test func `a backend that is not used makes no folder`() {
    let scene = Scene()
    #expect(!FileManager.default.fileExists(atPath: scene.folder.home))
  }

  @Test func `a new home and all that is in it are ours alone`() async throws {
    let scene = Scene()
    try await scene.signUp()
    let home = scene.folder.home
    #expect(try mode(home) == 0o700)
    #expect(try mode(home + "/keys") == 0o700)
    for file in ["accounts.sqlite", "accounts.sqlite-wal", "accounts.sqlite-shm", "opening.lock"] {
      #expect(try mode(home + "/" + file) == 0o600, "\(file)")
    }
    #expect(try mode(key(home)) == 0o600)
  }

  @Test func `missing folders above the home are made, for us alone`() async throws {
    let folder = TemporaryFolder()
    let home = folder.path + "/a/b/c/"
    try await LocalBackend.cheap(home).open()
    #expect(try mode(folder.path + "/a") == 0o700)
    #expect(FileManager.default.fileExists(atPath: home + "accounts.sqlite"))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a folder away"))
  func `a home that belongs to somebody else is refused`() async throws {
    let scene = Scene()
    try await scene.backend.open()
    try set(.ownerAccountID, 65534, scene.folder.home)
    let error = await expectRefusal(.providerUnsafe) { try await scene.another().open() }
    #expect(error?.message.contains("65534") == true)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
  func `a key that belongs to somebody else is refused`() async throws {
    let scene = Scene()
    try await scene.backend.open()
    try set(.ownerAccountID, 65534, try key(scene.folder.home))
    await expectRefusal(.providerUnsafe) { try await scene.another().open() }
  }

  @Test(arguments: [0o770, 0o707, 0o777]) func `a home that others can write to is refused`(_ mode: Int) async throws {
    let scene = Scene()
    try FileManager.default.createDirectory(atPath: scene.folder.home, withIntermediateDirectories: true)
    try set(.posixPermissions, mode, scene.folder.home)
    let error = await expectRefusal(.providerUnsafe) { try await scene.backend.open() }
    #expect(error?.message.contains("chmod 700") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scene.folder.home) == [])
    // Every call says so, and works once it is put right.
    await expectRefusal(.providerUnsafe) { try await scene.signUp() }
    try set(.posixPermissions, 0o700, scene.folder.home)
    try await scene.signUp()
  }

  @Test(arguments: ["accounts.sqlite", "a key"]) func `a file that others can read is refused`(_ name: String)
    async throws
  {
    let scene = Scene()
    try await scene.backend.open()
    let home = scene.folder.home
    try set(.posixPermissions, 0o640, name == "a key" ? try key(home) : home + "/" + name)
    let error = await expectRefusal(.providerUnsafe) { try await scene.another().open() }
    #expect(error?.message.contains("chmod 600") == true)
  }

  @Test(arguments: ["", "/"]) func `a home that is a symbolic link is refused`(_ end: String) async throws {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path + "/real", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: folder.home, withDestinationPath: folder.path + "/real")
    let error = await expectRefusal(.providerUnsafe) { try await LocalBackend(directory: folder.home + end).open() }
    #expect(error?.message.contains("symbolic link") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/real") == [])
  }

  @Test func `a key or a database that is a symbolic link is refused`() async throws {
    for name in ["accounts.sqlite", "a key", "opening.lock", "keys"] {
      let scene = Scene()
      try await scene.backend.open()
      let path = name == "a key" ? try key(scene.folder.home) : scene.folder.home + "/" + name
      try FileManager.default.moveItem(atPath: path, toPath: scene.folder.path + "/moved")
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: scene.folder.path + "/moved")
      await expectRefusal(.providerUnsafe) { try await scene.another().open() }
    }
  }

  @Test func `a home that is a file is refused`() async throws {
    let folder = TemporaryFolder()
    try Data("hello".utf8).write(to: URL(fileURLWithPath: folder.home))
    await expectRefusal(.providerUnsafe) { try await LocalBackend(directory: folder.home).open() }
    await expectRefusal(.providerUnavailable) { try await LocalBackend(directory: folder.home + "/below").open() }
  }

  @Test(arguments: ["", "a\0b"]) func `a path that is none is refused`(_ path: String) async {
    await expectRefusal(.invalidArgument) { try await LocalBackend(directory: path).open() }
  }

  @Test func `settings that make no sense are refused by the first call`() async {
    let adjustments: [@Sendable (inout LocalOptions) -> Void] = [
      { $0.projectID = "" }, { $0.issuer = "" }, { $0.tokenLifetime = .zero }, { $0.tokenLifetime = .seconds(Int.max) },
      { $0.tokenLifetime = .seconds(1e20) }, { $0.throttle.window = .seconds(1e20) },
      { $0.throttle.attempts = 0 }, { $0.throttle.window = .seconds(Int.max) }, { $0.passwordCost.n = 1000 },
      { $0.passwordCost = PasswordCost(n: 1 << 24, r: 64, p: 1) }, { $0.passwordCost.r = .max },
    ]
    for adjust in adjustments {
      let scene = Scene(adjust)
      await expectRefusal(.invalidArgument) { try await scene.signUp() }
      #expect(!FileManager.default.fileExists(atPath: scene.folder.home))
    }
  }
}
