import Foundation
import GatehouseBase
import GatehouseJOSE
import GatehouseLocal
import IdentityToolkit
import Testing

/// The next key is published before it signs, and the last one verifies until its tokens have expired.
struct KeyRotationTests {
  @Test func `a key is published, signs, verifies only, and goes`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let first = try #require(try await scene.backend.keySet().keys.first?.keyID)
    let rotated = try await scene.backend.rotateKeys()
    #expect(rotated.map(\.state) == [.signing, .next] && rotated[0].keyID == first)
    let next = rotated[1].keyID
    #expect(try await scene.backend.keySet().keys.map(\.keyID) == [first, next])

    // A second before its time the first one signs.
    scene.clock.advance(by: 3599)
    let last = try await scene.refresh(user.refreshToken).idToken
    #expect(try scene.keyID(last) == first)
    scene.clock.advance(by: 1)
    let new = try await scene.refresh(user.refreshToken).idToken
    #expect(try scene.keyID(new) == next)
    #expect(try await scene.backend.keyRecords().map(\.state) == [.retired, .signing])

    // The last token of the first key is good to its end.
    scene.clock.advance(by: 3597)
    _ = try await scene.lookUp(last)
    try await scene.prune()
    _ = try await scene.lookUp(last)
    scene.clock.advance(by: 100)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.lookUp(last) }
    try await scene.prune()
    #expect(try await scene.backend.keySet().keys.map(\.keyID) == [next])
    #expect(try scene.keyFiles == [next + ".pem"])
    #expect(try await scene.another().keySet().keys.map(\.keyID) == [next])
  }

  @Test func `another backend on the folder follows a rotation`() async throws {
    let scene = Scene()
    let other = scene.another()
    let user = try await scene.signUp()
    _ = try await other.answer(Lookup(idToken: user.idToken))
    // In the same second: a token of a key that is not known has the keys read again.
    let next = try #require(try await scene.backend.rotateKeys(atOnce: true).last?.keyID)
    let token = try await scene.refresh(user.refreshToken).idToken
    #expect(try scene.keyID(token) == next)
    _ = try await other.answer(Lookup(idToken: token))
    let later = try #require(try await scene.backend.rotateKeys(atOnce: true).last?.keyID)
    scene.clock.advance(by: 1)
    let own = try await other.answer(ExchangeRefreshToken(refreshToken: user.refreshToken)).idToken
    #expect(try scene.keyID(own) == later)
  }

  @Test func `a key that is published already is not followed by another one, and can sign at once`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let next = try #require(try await scene.backend.rotateKeys().last?.keyID)
    await expectRefusal(.invalidArgument) { try await scene.backend.rotateKeys() }
    let keys = try await scene.backend.rotateKeys(atOnce: true)
    #expect(keys.map(\.state) == [.retired, .signing] && keys[1].keyID == next)
    #expect(try scene.keyID(try await scene.refresh(user.refreshToken).idToken) == next)
  }

  @Test(arguments: ["signing", "next", "retired", "signing, with a next one"])
  func `a key that was revoked is published no more, signs nothing and verifies nothing`(_ state: String) async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    var stolen = try #require(try await scene.backend.keySet().keys.first?.keyID)
    let token = user.idToken
    if state == "retired" { _ = try await scene.backend.rotateKeys(atOnce: true) }
    if state.contains("next") {
      let next = try #require(try await scene.backend.rotateKeys().last?.keyID)
      if state == "next" { stolen = next }
    }
    let keys = try await scene.backend.revokeKey(stolen)
    #expect(keys.map(\.state) == [.signing] && keys[0].keyID != stolen)
    #expect(try await scene.backend.keySet().keys.map(\.keyID) == keys.map(\.keyID))
    #expect(try scene.keyFiles == [keys[0].keyID + ".pem"])
    let fresh = try await scene.refresh(user.refreshToken).idToken
    #expect(try scene.keyID(fresh) == keys[0].keyID)
    _ = try await scene.lookUp(fresh)
    if state == "next" {
      _ = try await scene.lookUp(token)
    } else {
      await expectRefusal("INVALID_ID_TOKEN") { try await scene.lookUp(token) }
    }
    #expect(try await scene.another().keySet().keys.map(\.keyID) == keys.map(\.keyID))
    let log = try String(contentsOfFile: scene.folder.home + "/audit/administration.jsonl", encoding: .utf8)
    #expect(log.contains(#""event":"keyRevoked","key":"\#(stolen)","by":"administrator""#))
    await expectRefusal(.invalidArgument) { try await scene.backend.revokeKey(stolen) }
  }

  @Test func `another backend on the folder refuses a revoked key's tokens within a second`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let other = scene.another()
    _ = try await other.answer(Lookup(idToken: user.idToken))
    _ = try await scene.backend.revokeKey(try #require(try scene.keyID(user.idToken)))
    scene.clock.advance(by: 1)
    await expectRefusal("INVALID_ID_TOKEN") { try await other.answer(Lookup(idToken: user.idToken)) }
    let fresh = try await other.answer(ExchangeRefreshToken(refreshToken: user.refreshToken)).idToken
    _ = try await scene.lookUp(fresh)
  }

  @Test func `a key verifies as long as the longest tokens of any backend`() async throws {
    let scene = Scene()
    let long = scene.another { $0.tokenLifetime = .seconds(86400) }
    let user = try await scene.signUp()
    let token = try await long.answer(ExchangeRefreshToken(refreshToken: user.refreshToken)).idToken
    _ = try await scene.backend.rotateKeys(atOnce: true)
    scene.clock.advance(by: 86399)
    try await scene.prune()
    _ = try await scene.lookUp(token)
    scene.clock.advance(by: 100)
    try await scene.prune()
    #expect(try scene.keyFiles.count == 1)
  }

  @Test func `a clock that is set back before the first key's time finds a key that signs`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    scene.clock.advance(by: -100)
    _ = try await scene.refresh(user.refreshToken)
    _ = try await scene.backend.rotateKeys(atOnce: true)
    scene.clock.advance(by: -100)
    _ = try await scene.refresh(user.refreshToken)
  }

  /// What a process leaves that was killed after each step of a removal.
  @Test(arguments: ["marked", "its file gone", "its file unfinished"])
  func `a removal that was killed is ended by the next one, and stops no opening`(_ step: String) async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let first = try #require(try await scene.backend.keySet().keys.first?.keyID)
    _ = try await scene.backend.rotateKeys(atOnce: true)
    try await scene.backend.close()
    try scene.execute("UPDATE signingKey SET removing = 1 WHERE keyID = '\(first)'")
    let file = scene.folder.home + "/keys/\(first).pem"
    if step == "its file gone" { try FileManager.default.removeItem(atPath: file) }
    if step == "its file unfinished" { try FileManager.default.moveItem(atPath: file, toPath: file + ".unfinished") }
    let opened = scene.another()
    _ = try await opened.answer(ExchangeRefreshToken(refreshToken: user.refreshToken))
    #expect(try await opened.keySet().keys.count == 1)
    _ = try await opened.backup(to: scene.folder.path + "/backup.tar")
    _ = try await LocalBackend.restore(from: scene.folder.path + "/backup.tar", to: scene.folder.path + "/restored")
    try await LocalBackend.cheap(scene.folder.path + "/restored", scene.clock).open()
    try await opened.prune(at: scene.clock)
    #expect(try scene.keyFiles.count == 1)
    try await opened.close()
    #expect(try scene.rows("SELECT keyID FROM signingKey").count == 1)
  }

  /// A process that rotates was killed before the key had its name.
  @Test func `a key without its name yet is used by backends that are open, and named by the next opening`()
    async throws
  {
    let scene = Scene()
    let user = try await scene.signUp()
    let other = scene.another()
    _ = try await other.answer(Lookup(idToken: user.idToken))
    let next = try #require(try await scene.backend.rotateKeys(atOnce: true).last?.keyID)
    let file = scene.folder.home + "/keys/\(next).pem"
    try FileManager.default.moveItem(atPath: file, toPath: file + ".unfinished")
    scene.clock.advance(by: 1)
    let token = try await other.answer(ExchangeRefreshToken(refreshToken: user.refreshToken)).idToken
    #expect(try scene.keyID(token) == next)
    _ = try await scene.another().answer(Lookup(idToken: token))
    #expect(FileManager.default.fileExists(atPath: file))
  }

  @Test func `a backup while keys are removed names no key that is gone`() async throws {
    let scene = Scene()
    try await scene.signUp()
    for number in 1...5 {
      _ = try await scene.backend.rotateKeys(atOnce: true)
      scene.clock.advance(by: 7300)
      let file = scene.folder.path + "/\(number).tar"
      async let pruned: Void = scene.prune()
      _ = try await scene.another().backup(to: file)
      try await pruned
      _ = try await LocalBackend.restore(from: file, to: scene.folder.path + "/restored-\(number)")
    }
  }
}

extension Scene {
  /// The name of the key that signed a token.
  func keyID(_ token: Secret) throws -> String? { try UnverifiedToken(token.revealed).header.keyID }

  var keyFiles: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder.home + "/keys") } }

  /// Has the provider do its chores now.
  func prune() async throws { try await backend.prune(at: clock) }
}
