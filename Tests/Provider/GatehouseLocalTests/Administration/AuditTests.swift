import Foundation
import GatehouseBase
import GatehouseQueues
import IdentityToolkit
import Logging
import Testing

@testable import GatehouseLocal

/// What the audit log tells, and what becomes of it when it cannot be written.
struct AuditTests {
  @Test func `the page names each event`() throws {
    let page = URL(filePath: #filePath).appending(path: "../../../../../Docs/provider.md").standardized
    let text = try String(contentsOf: page, encoding: .utf8)
    for kind in AuditEvent.Kind.allCases { #expect(text.contains("`\(kind.rawValue)`"), "\(kind.rawValue)") }
  }

  @Test func `the life of an account is in the log, without a secret`() async throws {
    let scene = Scene { $0.throttle.attempts = 2 }
    let user = try await scene.signUp()
    let token = try await scene.update(user.idToken) { $0.password = Secret("another horse") }
    for _ in 1...3 { _ = try? await scene.signIn("Ada@example.com", "wrong horse") }
    scene.clock.advance(by: 3000)
    _ = try await scene.backend.setDisabled(AccountName(user.localId), true)
    _ = try await scene.backend.setDisabled(AccountName(user.localId), false)
    let again = try await scene.signIn("ada@example.com", "another horse")
    _ = try await scene.backend.rotateKeys()
    _ = try await scene.backend.answer(Delete(idToken: again.idToken))
    try await scene.backend.close()
    let events = try scene.events, security = try scene.events(in: "security")
    let changes = try scene.events(in: "administration")
    #expect(events.map(\.name) == ["signUp", "signIn"])
    #expect(security.map(\.name) == ["passwordChanged", "accountDeleted"])
    #expect(changes.map(\.name) == ["accountDisabled", "accountEnabled", "keyRotated"])
    let refusals = try scene.events(in: "refused")
    #expect(refusals.map(\.name) == ["signInFailed", "signInFailed", "lockedOut"])
    #expect(events[0]["uid"] == .string(user.localId) && events[0]["email"] == "ada@example.com")
    #expect(events[0]["time"] == "2027-01-15T08:00:00.250Z" && events[0]["method"] == "password")
    #expect(refusals[0]["email"] == "ada@example.com" && refusals[0]["reason"] == "INVALID_PASSWORD")
    #expect(changes[0]["by"] == "administrator" && security[1]["uid"] == .string(user.localId))
    let names = ["audit", "refused", "security", "administration"]
    let text = try names.map { String(decoding: try scene.logBytes($0), as: UTF8.self) }.joined()
    for secret in [
      "horse", user.idToken.revealed, user.refreshToken.revealed, again.idToken.revealed,
      token.refreshToken?.revealed ?? "-",
    ] { #expect(!text.contains(secret)) }
    for name in names {
      let attributes = try FileManager.default.attributesOfItem(atPath: scene.logPath(name))
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
  }

  @Test func `an identity that joins an account before its second factor is in the log, with the account`() async throws
  {
    let identities = try IdentityScene(trusted: true)
    var draft = CreateAccount(localId: "ada")
    (draft.email, draft.emailVerified) = ("ada@example.com", true)
    draft.mfaInfo = [.init(phoneInfo: "+12025550124")]
    _ = try await identities.scene.backend.answer(draft)
    let claims: JSONObject = ["email": "ada@example.com", "email_verified": true]
    await expectRefusal(.secondFactorRequired) {
      try await identities.signIn(identities.credential("ada", claims))
    }
    try await identities.scene.backend.close()
    let event = try #require(try identities.scene.events.last)
    #expect(event.name == "signInNeedsSecondFactor" && event["uid"] == "ada")
  }

  @Test func `an event that comes while others are written is written without another call`() async throws {
    let scene = Scene()
    for count in 1...200 {
      let user = try await scene.signUp("user\(count)@example.com")
      _ = try await scene.backend.answer(RevokeSessions(idToken: user.idToken))
      await scene.backend.settle()
      #expect(try scene.events.count == count && scene.events(in: "security").count == count)
    }
  }

  /// Anyone can cause any number of refusals.
  @Test func `no number of refused sign-ins removes the event of a change`() async throws {
    let scene = Scene {
      $0.audit = AuditOptions(maximumBytes: 4096, keptFiles: 1)
      $0.throttle.attempts = 1_000_000
    }
    let user = try await scene.signUp()
    _ = try await scene.backend.setDisabled(AccountName(user.localId), false)
    for number in 1...150 { _ = try? await scene.signIn("nobody\(number)@example.com", "wrong horse") }
    try await scene.backend.close()
    #expect(try scene.events.map(\.name) == ["signUp"])
    #expect(try scene.events(in: "administration").map(\.name) == ["accountEnabled"])
    let refused = try scene.events(in: "refused") + scene.events(in: "refused.1")
    #expect((1...149).contains(refused.count) && refused.allSatisfy { $0.name == "signInFailed" })
    #expect(!FileManager.default.fileExists(atPath: scene.logPath("audit.1")))
    #expect(!FileManager.default.fileExists(atPath: scene.logPath("refused.2")))
  }

  @Test func `no number of refused sign-ins keeps another event from waiting for the log`() async throws {
    let scene = Scene()
    _ = try await scene.backend.answer(CreateAccount(localId: "eve"))
    for name in ["audit", "refused"] { try scene.spoilLog(name, isThere: false) }
    for _ in 1...1100 {
      _ = try? await scene.backend.answer(SignInWithCustomToken(token: Secret("no token")))
    }
    try await scene.signUp()
    for name in ["audit", "refused"] { try scene.mendLog(name, wasThere: false) }
    try await scene.backend.close()
    #expect(try scene.events.map(\.name) == ["signUp"])
    let refused = try scene.events(in: "refused")
    let lost = refused.compactMap { $0["count"]?.integer }.reduce(0, +)
    #expect(lost > 0 && refused.count { $0.name == "signInFailed" } == 1100 - Int(lost))
  }

  @Test func `a refresh token that is used twice is in the log, and a refresh is not`() async throws {
    let scene = Scene {
      $0.rotatesRefreshTokens = true
      $0.rotationGrace = .zero
    }
    let user = try await scene.signUp()
    _ = try await scene.refresh(user.refreshToken)
    _ = try? await scene.refresh(user.refreshToken)
    try await scene.backend.close()
    #expect(try scene.events.map(\.name) == ["signUp"])
    #expect(try scene.events(in: "security").map(\.name) == ["refreshTokenReused"])
  }

  /// An event is there before the change can be seen.
  @Test func `an administrator's change that cannot be logged is not made, and a sign-in goes on`() async throws {
    let log = SpokenLog()
    let scene = Scene { $0.logger = Logger(label: "test") { _ in log } }
    _ = try await scene.backend.answer(CreateAccount(localId: "eve"))
    try scene.spoilLog(isThere: false)
    let user = try await scene.signUp()
    _ = try await scene.backend.setDisabled(AccountName(user.localId), false)
    try scene.spoilLog("administration")
    let error = await expectRefusal(.providerUnavailable) {
      try await scene.backend.setDisabled(AccountName(user.localId), true)
    }
    #expect(error?.message.contains("audit log") == true)
    await expectRefusal(.providerUnavailable) { try await scene.backend.deleteAccount(AccountName(user.localId)) }
    await expectRefusal(.providerUnavailable) { try await scene.backend.rotateKeys() }
    for _ in 1...3 { try await scene.signIn() }
    _ = try await scene.backend.account(AccountName(user.localId))
    while !log.lines.contains(where: { $0.contains("audit log cannot be written") }) { await Task.yield() }
    try scene.mendLog(wasThere: false)
    try scene.mendLog("administration")
    _ = try await scene.backend.setDisabled(AccountName(user.localId), true)
    try await scene.backend.close()
    // The events of the sign-ins have waited.
    #expect(try scene.events.map(\.name) == ["signUp", "signIn", "signIn", "signIn"])
    #expect(
      try scene.events(in: "administration").map(\.name) == ["accountCreated", "accountEnabled", "accountDisabled"])
    #expect(log.lines.count { $0.contains("audit log cannot be written") } == 1, "\(log.lines)")
    #expect(try scene.keyFiles.count { $0.hasSuffix(".pem") } == 1)
  }

  @Test func `a file that is full is followed by a new one, and the oldest goes`() async throws {
    let scene = Scene()
    // The events of each round need more than one file. They are on the disk when the backend is closed.
    for _ in 1...5 {
      let backend = scene.another { $0.audit = AuditOptions(maximumBytes: 4096, keptFiles: 2) }
      for _ in 1...40 { _ = try await backend.answer(SignUp()) }
      try await backend.close()
    }
    #expect(try scene.logFiles == ["audit.1.jsonl", "audit.2.jsonl", "audit.jsonl", "lock"])
  }

  @Test func `a line that a killed process left half written does not spoil the next one`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    _ = try await scene.backend.revoke(AccountName(user.localId))
    let file = try #require(FileHandle(forWritingAtPath: scene.logPath("administration")))
    try file.seekToEnd()
    try file.write(contentsOf: Data(#"{"time":"20"#.utf8))
    try file.close()
    _ = try await scene.backend.revoke(AccountName(user.localId))
    let lines = String(decoding: try scene.logBytes("administration"), as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 3 && lines[1] == #"{"time":"20"#)
    _ = try JSONObject(parsing: lines[2].utf8)
  }

  @Test func `backends of one folder write whole lines`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let others = (0..<3).map { _ in scene.another() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for other in others {
        group.addTask { for _ in 1...20 { _ = try await other.setDisabled(AccountName(user.localId), false) } }
      }
      try await group.waitForAll()
    }
    try await scene.backend.close()
    #expect(try scene.events(in: "administration").count == 60)
  }

  @Test func `without a log nothing is written`() async throws {
    let scene = Scene { $0.audit = nil }
    let user = try await scene.signUp()
    _ = try await scene.backend.setDisabled(AccountName(user.localId), true)
    try await scene.backend.close()
    #expect(!FileManager.default.fileExists(atPath: scene.folder.home + "/audit"))
  }
}

extension JSONObject {
  var name: String? { self["event"]?.string }
}

extension Scene {
  /// The files of the log.
  var logFiles: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.home + "/audit").sorted() }
  }

  func logPath(_ name: String) -> String { folder.home + "/audit/\(name).jsonl" }

  func logBytes(_ name: String = "audit") throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: logPath(name)))
  }

  var events: [JSONObject] {
    get throws { try events(in: "audit") }
  }

  func events(in name: String) throws -> [JSONObject] {
    try logBytes(name).split(separator: UInt8(ascii: "\n")).map { try JSONObject(parsing: $0) }
  }

  /// A folder in the file's place: as on a full disk, no line can be written.
  func spoilLog(_ name: String = "audit", isThere: Bool = true) throws {
    let path = logPath(name)
    if isThere { try FileManager.default.moveItem(atPath: path, toPath: path + ".aside") }
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  fileprivate func mendLog(_ name: String = "audit", wasThere: Bool = true) throws {
    let path = logPath(name)
    try FileManager.default.removeItem(atPath: path)
    if wasThere { try FileManager.default.moveItem(atPath: path + ".aside", toPath: path) }
  }
}

/// Keeps what it is told.
final class SpokenLog: LogHandler, Sendable {
  private let spoken = Lock<[String]>([])
  var lines: [String] { spoken.withLock { $0 } }
  var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }
  var logLevel: Logger.Level {
    get { .trace }
    set {}
  }

  subscript(metadataKey _: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }

  func log(event: LogEvent) { spoken.withLock { $0.append("\(event.message)") } }
}
