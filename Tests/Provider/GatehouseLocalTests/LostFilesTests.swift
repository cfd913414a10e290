import Foundation
import GRDB
import Gatehouse
import GatehouseBase
import GatehouseLocal
import GatehouseSystem
import Glibc
import HangGuard
import IdentityToolkit
import Testing

/// A provider that has lost a part of its files never begins anew: what it had is in a copy, if anywhere.
struct LostFilesTests {
  /// While a provider is open its accounts may be in the `-wal` file alone.
  @Test(arguments: ["the -wal file was removed", "accounts.sqlite alone was copied"])
  func `a database without tables, beside keys, is not begun anew`(_ loss: String) async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let copy = TemporaryFolder()
    try FileManager.default.copyItem(atPath: scene.folder.home, toPath: copy.home)
    for end in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: copy.home + "/accounts.sqlite" + end) }
    let keys = try FileManager.default.contentsOfDirectory(atPath: copy.home + "/keys")
    let backend = LocalBackend.cheap(copy.home, scene.clock)
    let call = SignInWithPassword(email: "ada@example.com", password: Secret("correct horse"))
    let error = await expectRefusal(.providerDamaged) { try await backend.answer(call) }
    #expect(error?.message.contains("accounts.sqlite has no tables") == true)
    await expectRefusal(.providerDamaged) {
      try await backend.answer(ExchangeRefreshToken(refreshToken: user.refreshToken))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: copy.home + "/keys") == keys)

    // The file in its place again, everything is as it was.
    let wal = "/accounts.sqlite-wal"
    try? FileManager.default.removeItem(atPath: copy.home + wal)
    try FileManager.default.copyItem(atPath: scene.folder.home + wal, toPath: copy.home + wal)
    #expect(try await backend.answer(call).localId == user.localId)
  }

  // MARK: While it is open

  @Test func `a folder that is removed while it is open gets no more changes, and is not made again`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let name = AccountName(user.localId)
    try scene.folder.removeHome()
    for error in [
      await expectRefusal(.providerUnavailable) { try await scene.signUp("bea@example.com") },
      await expectRefusal(.providerUnavailable) { try await scene.signIn() },
      await expectRefusal(.providerUnavailable) { try await scene.update(user.idToken) { $0.displayName = "Ada" } },
      await expectRefusal(.providerUnavailable) { try await scene.backend.setDisabled(name, true) },
      await expectRefusal(.providerUnavailable) { try await scene.backend.requireWritable() },
    ] {
      #expect(error?.message.contains("was removed, moved or replaced") == true, "\(error?.message ?? "")")
    }
    await expectRefusal(.providerUnavailable) { try await scene.backend.rotateKeys() }
    // The audit log's events wait for a file, and must not make the folder for it.
    try? await scene.backend.close()
    #expect(!FileManager.default.fileExists(atPath: scene.folder.home))
  }

  /// Connections are opened when they are first needed. The calls here are the first that read.
  @Test func `a folder that is replaced while it is open is not read`() async throws {
    let (scene, other) = (Scene(), Scene())
    let (user, stranger) = (try await scene.signUp(), try await other.signUp("eve@example.com"))
    try await other.backend.close()
    let (home, away) = (scene.folder.home, scene.folder.path + "/away")
    try FileManager.default.moveItem(atPath: home, toPath: away)
    try FileManager.default.copyItem(atPath: other.folder.home, toPath: home)
    for token in [stranger.refreshToken, user.refreshToken] {
      await expectRefusal(.providerUnavailable) { try await scene.refresh(token) }
    }
    try FileManager.default.removeItem(atPath: home)
    try FileManager.default.moveItem(atPath: away, toPath: home)
    _ = try await scene.refresh(user.refreshToken)
    #expect(try await scene.lookUp(user.idToken).localId == user.localId)
  }

  /// The service account's file is saved inside the transaction, so the test can move the folder at that moment.
  @Test func `a folder that goes while a change is under way gets none of it`() async throws {
    let scene = Scene { $0.audit = nil }
    let (home, away) = (scene.folder.home, scene.folder.path + "/away")
    _ = try await scene.signUp()
    let draft = ServiceAccountDraft(name: "backend", tokenURL: "http://127.0.0.1/token")
    let error = await expectRefusal(.providerUnavailable) {
      try await scene.backend.createServiceAccount(draft) { _ throws(AuthError) in
        do { try FileManager.default.moveItem(atPath: home, toPath: away) } catch {
          throw AuthError(.internalError, "the folder cannot be moved: \(error)")
        }
      }
    }
    #expect(error?.message.contains("was removed, moved or replaced") == true, "\(error?.message ?? "")")
    try FileManager.default.moveItem(atPath: away, toPath: home)
    #expect(try await scene.backend.serviceAccounts().isEmpty)
  }

  @Test func `whether it can be written to is tried once a second, and again when the folder is back`() async throws {
    let scene = Scene()
    let away = scene.folder.path + "/away"
    try await scene.backend.requireWritable()
    try FileManager.default.moveItem(atPath: scene.folder.home, toPath: away)
    try await scene.backend.requireWritable()
    scene.clock.advance(by: 1)
    await expectRefusal(.providerUnavailable) { try await scene.backend.requireWritable() }
    try FileManager.default.moveItem(atPath: away, toPath: scene.folder.home)
    await expectRefusal(.providerUnavailable) { try await scene.backend.requireWritable() }
    scene.clock.advance(by: 1)
    try await scene.backend.requireWritable()
    try await scene.signUp()
  }

  @Test func `a database that is read-only is not one that can be written to`() async throws {
    let scene = Scene()
    try await scene.backend.open()
    let other = scene.another { $0.pragmas = ["PRAGMA query_only = 1"] }
    try await other.open()
    let error = await expectRefusal(.providerUnavailable) { try await other.requireWritable() }
    #expect(error?.message.contains("read-only") == true)
  }

  @Test func `a key that the database does not name stops the provider, and stays`() async throws {
    let scene = Scene()
    try await scene.signUp()
    try await scene.backend.close()
    let older = try Data(contentsOf: URL(fileURLWithPath: scene.folder.home + "/accounts.sqlite"))
    // A second key, of which the older database knows nothing.
    let other = scene.another { $0.signing = .rs256 }
    try await other.open()
    try await other.close()
    try Self.write(older, to: scene.folder.home + "/accounts.sqlite")
    let error = await expectRefusal(.providerDamaged) { try await scene.another().open() }
    #expect(error?.message.contains("does not name") == true)
    #expect(try scene.keys.count == 2)
  }

  @Test func `a key whose row could not be written does not count, and makes room for the next`() async throws {
    let scene = Scene()
    try await scene.backend.open()
    let other = scene.another {
      $0.signing = .rs256
      $0.pragmas = ["PRAGMA query_only = 1"]
    }
    await expectRefusal(.providerUnavailable) { try await other.open() }
    #expect(try scene.keys.count { $0.hasSuffix(".pem") } == 1)
    #expect(try scene.keys.count { $0.hasSuffix(".pem.unfinished") } == 1)
    try await scene.another().open()
    #expect(try scene.keys.count == 1)
    try await scene.another { $0.signing = .rs256 }.open()
    #expect(try scene.keys.count == 2)
  }

  @Test func `a key whose process was killed before it had its name gets it`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let key = scene.folder.home + "/keys/" + (try #require(scene.keys.first))
    try FileManager.default.moveItem(atPath: key, toPath: key + ".unfinished")
    _ = try await scene.another().answer(Lookup(idToken: user.idToken))
    #expect(FileManager.default.fileExists(atPath: key))
  }

  /// A copy of the folder, an attacker or a mistake left it there: the key that has its name is the good one.
  @Test(arguments: ["nothing", "nonsense", "another key"])
  func `an unfinished key never takes the place of one that has its name`(_ content: String) async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let key = scene.folder.home + "/keys/" + (try #require(scene.keys.first))
    let before = try Data(contentsOf: URL(fileURLWithPath: key))
    try Self.write(try await Self.bytes(content), to: key + ".unfinished")
    _ = try await scene.another().answer(Lookup(idToken: user.idToken))
    #expect(try Data(contentsOf: URL(fileURLWithPath: key)) == before)
  }

  @Test(arguments: ["nothing", "nonsense", "another key", "a pipe", "a link", "open to others"])
  func `an unfinished key gets its name only as the file of that key`(_ content: String) async throws {
    let scene = Scene()
    try await scene.signUp()
    try await scene.backend.close()
    let key = scene.folder.home + "/keys/" + (try #require(scene.keys.first))
    let unfinished = key + ".unfinished"
    // Also one that would be removed, if all were well.
    let other = scene.folder.home + "/keys/" + String(repeating: "A", count: 43) + ".pem.unfinished"
    try Self.write(Data("other".utf8), to: other)
    switch content {
    case "a pipe": #expect(unsafe mkfifo(unfinished, 0o600) == 0)
    case "a link":
      try FileManager.default.copyItem(atPath: key, toPath: scene.folder.path + "/key")
      try FileManager.default.createSymbolicLink(
        atPath: unfinished, withDestinationPath: scene.folder.path + "/key")
    case "open to others":
      try FileManager.default.copyItem(atPath: key, toPath: unfinished)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: unfinished)
    default: try Self.write(try await Self.bytes(content), to: unfinished)
    }
    try FileManager.default.removeItem(atPath: key)
    let names = try scene.keys.sorted()
    let error = await #expect(throws: AuthError.self) { try await scene.another().open() }
    let unsafe: Set = ["a pipe", "a link", "open to others"]
    #expect(error?.code == (unsafe.contains(content) ? .providerUnsafe : .providerDamaged))
    #expect(try scene.keys.sorted() == names)
  }

  @Test func `a provider whose keys are gone is refused, and gets no folder for them`() async throws {
    let scene = Scene()
    try await scene.signUp()
    try await scene.backend.close()
    try FileManager.default.removeItem(atPath: scene.folder.home + "/keys")
    let error = await expectRefusal(.providerDamaged) { try await scene.another().open() }
    #expect(error?.message.contains("is missing") == true)
    #expect(!FileManager.default.fileExists(atPath: scene.folder.home + "/keys"))
  }

  @Test(arguments: ["a key", "accounts.sqlite", "accounts.sqlite-wal", "opening.lock", "in-use.lock", "keys"])
  func `a pipe in a file's place is refused, and not waited for`(_ name: String) async throws {
    let scene = Scene()
    try await scene.signUp()
    try await scene.backend.close()
    let home = scene.folder.home
    let path = name == "a key" ? "\(home)/keys/\(try #require(scene.keys.first))" : "\(home)/\(name)"
    try? FileManager.default.removeItem(atPath: path)
    #expect(unsafe mkfifo(path, 0o600) == 0)
    await #expect(processExitsWith: .success) { [home = home as String] in
      endIfItHangs()
      await expectRefusal(.providerUnsafe) { try await LocalBackend.cheap(home).open() }
    }
  }

  @Test func `a home that another process opens is waited for, but not for ever`() async throws {
    let scene = Scene { $0.patience = 0 }
    try await scene.another().open()
    let held = try OpenFolder(scene.folder.home).open("opening.lock")
    try #expect(held.tryLock())
    let error = await expectRefusal(.providerUnavailable) { try await scene.backend.open() }
    #expect(error?.message.contains("process \(getpid()) has held \(scene.folder.home)/opening.lock") == true)
    held.unlock()
    try await scene.backend.open()
    #expect(LocalOptions().patience == 5)
  }

  /// What a file of a key may hold that is not that key.
  private static func bytes(_ content: String) async throws -> Data {
    switch content {
    case "another key":
      let other = Scene()
      try await other.backend.open()
      let name = try #require(try other.keys.first)
      return try Data(contentsOf: URL(fileURLWithPath: other.folder.home + "/keys/" + name))
    case "nonsense": return Data("nonsense".utf8)
    default: return Data()
    }
  }

  private static func write(_ bytes: Data, to path: String) throws {
    try bytes.write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }
}
