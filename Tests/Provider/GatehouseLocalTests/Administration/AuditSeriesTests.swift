import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// Events that must not be pushed out of the audit log.
struct AuditSeriesTests {
  private static let day = 86400.0

  private func names(_ scene: Scene, in series: String) throws -> [String?] {
    try scene.events(in: series).map(\.name)
  }

  @Test func `no number of sign-ups removes an administrator's event, or one about an account's security`() async throws
  {
    let scene = Scene { $0.audit = AuditOptions(maximumBytes: 4096, keptFiles: 1) }
    let user = try await scene.signUp()
    _ = try await scene.update(user.idToken) { $0.password = Secret("another horse") }
    _ = try await scene.backend.setDisabled(AccountName(user.localId), true)
    try await scene.backend.close()
    for _ in 1...3 {
      let backend = scene.another { $0.audit = AuditOptions(maximumBytes: 4096, keptFiles: 1) }
      for _ in 1...40 { _ = try await backend.answer(SignUp()) }
      try await backend.close()
    }
    #expect(try scene.logFiles == ["administration.jsonl", "audit.1.jsonl", "audit.jsonl", "lock", "security.jsonl"])
    let signUps = try scene.events + scene.events(in: "audit.1")
    #expect(signUps.count < 120 && signUps.allSatisfy { $0.name == "signUp" && $0["uid"] != .string(user.localId) })
    #expect(try names(scene, in: "security") == ["passwordChanged"])
    #expect(try names(scene, in: "administration") == ["accountDisabled"])
  }

  @Test func `administrators' events are kept for a time, in any number of files`() async throws {
    let scene = Scene {
      $0.audit = AuditOptions(maximumBytes: 4096, keptFiles: 1, keptTime: .seconds(10 * 86400))
    }
    let user = try await scene.signUp()
    func disable(_ times: Int) async throws {
      for _ in 1...times { _ = try await scene.backend.setDisabled(AccountName(user.localId), true) }
    }
    // About thirty lines fill a file.
    for _ in 1...4 {
      try await disable(40)
      scene.clock.advance(by: Self.day)
    }
    func files() throws -> [String] { try scene.logFiles.filter { $0.hasPrefix("administration.2") } }
    let first = try files()
    try #require(first.count >= 3)
    #expect(first[0] == "administration.2027-01-15T080000.250Z.jsonl")
    scene.clock.advance(by: 5 * Self.day)
    try await disable(40)
    #expect(try files().starts(with: first))
    // The first file was full ten days and a second ago; the second one was full later.
    scene.clock.advance(by: Self.day + 1)
    try await disable(40)
    #expect(try files().first == first[1])
    try await scene.backend.close()
    #expect(try scene.events.map(\.name) == ["signUp"])
  }

  @Test func `one account cannot fill the log of security`() async throws {
    let scene = Scene()
    let user = try await scene.signUp(), other = try await scene.signUp("bob@example.com")
    func change(_ idToken: Secret) async throws -> Secret {
      let answer = try await scene.update(idToken) { $0.password = Secret("correct horse") }
      return try #require(answer.idToken)
    }
    var idToken = user.idToken
    for _ in 1...60 { idToken = try await change(idToken) }
    _ = try await scene.update(idToken) { $0.email = "countess@example.com" }
    _ = try await change(other.idToken)
    scene.clock.advance(by: 3600)
    let again = try await scene.signIn("countess@example.com")
    _ = try await change(again.idToken)
    try await scene.backend.close()
    let security = try scene.events(in: "security")
    #expect(security.map { $0["uid"]?.string }.count { $0 == user.localId } == 52)
    // Many events of one kind hide no event of another.
    #expect(security.count { $0.name == "emailChanged" } == 1)
    #expect(security.suffix(2).map { $0["uid"]?.string } == [other.localId, user.localId])
    #expect(try scene.events.count { $0.name == "passwordChanged" } == 10)
  }

  @Test func `files of security have a greatest number, so that users cannot fill the disk`() async throws {
    let scene = Scene { $0.audit = AuditOptions(maximumBytes: 4096, keptFiles: 1) }
    // Each account's own deletion is an event about security.
    for _ in 1...40 {
      let backend = scene.another { $0.audit = AuditOptions(maximumBytes: 4096, keptFiles: 1) }
      for _ in 1...40 {
        let user = try await backend.answer(SignUp())
        _ = try await backend.answer(Delete(idToken: user.idToken))
      }
      try await backend.close()
      scene.clock.advance(by: 1)
    }
    #expect(try scene.logFiles.count { $0.hasPrefix("security.2") } == 25)
  }

  /// Written one by one, their events would fill files of this length; each of them would wait for the disk.
  @Test(arguments: ["all", "some", "a tenant's"])
  func `events of accounts that are deleted together are written together`(which: String) async throws {
    let scene = Scene { $0.audit = AuditOptions(maximumBytes: 4096, keptFiles: 1) }
    let tenant = which == "a tenant's" ? "north" : nil
    if let tenant { _ = try await scene.backend.createTenant(tenant) }
    var uids: [String] = []
    for _ in 1...60 {
      var call = SignUp()
      call.tenantId = tenant
      uids.append(try await scene.backend.answer(call).localId)
    }
    switch which {
    case "all": try await scene.backend.deleteAccounts(ofTenant: "")
    case "some": _ = try await scene.backend.answer(DeleteAccounts(localIds: uids, force: true))
    default: try await scene.backend.deleteTenant("north")
    }
    try await scene.backend.close()
    let files = try scene.logFiles.filter { $0.hasPrefix("administration") }.map { $0.dropLast(".jsonl".count) }
    let deleted = try files.map { file in
      Set(try scene.events(in: String(file)).filter { $0.name == "accountDeleted" }.compactMap { $0["uid"]?.string })
    }
    #expect(deleted.filter { !$0.isEmpty } == [Set(uids)])
  }
}
