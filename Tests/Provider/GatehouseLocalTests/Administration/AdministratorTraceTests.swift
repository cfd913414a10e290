import Foundation
import GatehouseBase
import IdentityToolkit
import Testing

@testable import GatehouseLocal

/// What administrators' work leaves in the audit log.
struct AdministratorTraceTests {
  private typealias Act = (name: String, work: (LocalBackend, SignInResponse) async throws -> Void)

  /// The work that a program or `gate` does with the provider itself: the rows of the table in `Docs/SECURITY.md`.
  private static func acts(in folder: String) -> [Act] {
    [
      ("accounts", { backend, _ in _ = try await backend.accounts() }),
      ("account", { backend, user in _ = try await backend.account(.uid(user.localId)) }),
      (
        "identities",
        { backend, _ in _ = try await backend.identities(of: "google.com", inTenant: "", limit: 9) }
      ),
      ("createAccount", { backend, _ in _ = try await backend.createAccount(AccountDraft()) }),
      (
        "updateAccount",
        { backend, user in
          var edit = AccountEdit()
          edit.displayName = "Ada"
          _ = try await backend.updateAccount(.uid(user.localId), edit)
        }
      ),
      ("setDisabled", { backend, user in _ = try await backend.setDisabled(.uid(user.localId), false) }),
      ("revoke", { backend, user in _ = try await backend.revoke(.uid(user.localId)) }),
      ("deleteAccount", { backend, user in _ = try await backend.deleteAccount(.uid(user.localId)) }),
      ("deleteAccounts", { backend, _ in try await backend.deleteAccounts(ofTenant: "") }),
      ("importUsers", { backend, _ in _ = try await backend.importUsers(from: folder + "/users.json") }),
      ("exportUsers", { backend, _ in _ = try await backend.exportUsers(to: folder + "/exported.json") }),
      ("backup", { backend, _ in _ = try await backend.backup(to: folder + "/backup") }),
      ("keyRecords", { backend, _ in _ = try await backend.keyRecords() }),
      ("rotateKeys", { backend, _ in _ = try await backend.rotateKeys(atOnce: true) }),
      ("revokeKey", { backend, _ in _ = try await backend.revokeKey(try await backend.keyRecords()[0].keyID) }),
      ("tenants", { backend, _ in _ = try await backend.tenants() }),
      ("createTenant", { backend, _ in _ = try await backend.createTenant("east") }),
      ("deleteTenant", { backend, _ in try await backend.deleteTenant("north") }),
      ("configuration", { backend, _ in _ = try await backend.configuration() }),
      (
        "configure",
        { backend, _ in
          try await backend.configure(["emailPrivacyConfig": ["enableImprovedEmailPrivacy": true]], mask: nil)
        }
      ),
      ("serviceAccounts", { backend, _ in _ = try await backend.serviceAccounts() }),
      (
        "createServiceAccount",
        { backend, _ in _ = try await backend.createServiceAccount(Self.draft("two")) { _ in } }
      ),
      ("addServiceAccountKey", { backend, _ in _ = try await backend.addServiceAccountKey("one") { _ in } }),
      (
        "deleteServiceAccountKey",
        { backend, _ in
          let keyID = try await backend.addServiceAccountKey("one") { _ in }.keyID
          _ = try await backend.deleteServiceAccountKey(keyID, of: "one")
        }
      ),
      ("deleteServiceAccount", { backend, _ in _ = try await backend.deleteServiceAccount("one") }),
      ("customToken", { backend, _ in _ = try await backend.customToken(forUser: "ada") }),
      (
        "sessionCookie",
        { backend, user in
          _ = try await backend.sessionCookie(forIDToken: user.idToken.revealed, lifetime: .seconds(300))
        }
      ),
    ]
  }

  private static func draft(_ name: String) -> ServiceAccountDraft {
    ServiceAccountDraft(name: name, tokenURL: "http://127.0.0.1:9099/token")
  }

  /// The lines of a file of the log; none if there is no such file.
  private static func lines(_ scene: Scene, _ name: String) throws -> [JSONObject] {
    FileManager.default.fileExists(atPath: scene.logPath(name)) ? try scene.events(in: name) : []
  }

  @Test func `the work of a program leaves the event that the table names`() async throws {
    var rows: [String] = []
    for index in Self.acts(in: "").indices {
      let scene = Scene()
      let act = Self.acts(in: scene.folder.path)[index]
      try Data(#"{"users":[{"localId":"grace"}]}"#.utf8).write(
        to: URL(fileURLWithPath: scene.folder.path + "/users.json"))
      let user = try await scene.signUp()
      _ = try await scene.backend.createTenant("north")
      _ = try await scene.backend.createServiceAccount(Self.draft("one")) { _ in }
      // A minute of its own.
      let before = try Self.lines(scene, "administration").count
      scene.clock.advance(by: 60)
      try await act.work(scene.backend, user)
      try await scene.backend.close()
      let events = try Self.lines(scene, "administration").dropFirst(before)
      let counted = try Self.lines(scene, "reads").filter { $0["call"] == .string(act.name) }
      for event in events + counted {
        #expect(event["credential"]?["kind"] == "program", "\(act.name): \(event)")
        #expect(event["credential"]?["uid"]?.integer == Int64(geteuid()), "\(act.name): \(event)")
      }
      var cell = events.last.map { event in
        (["event"] + ["changed", "count", "passwordHashes"].filter { event[$0] != nil }).map {
          $0 == "event" ? "`\(event.name ?? "")`" : "`\($0)`"
        }.joined(separator: ", ")
      }
      if !counted.isEmpty { cell = [cell, "`callsMade`"].compactMap(\.self).joined(separator: ", ") }
      let found = try #require(cell, "\(act.name) leaves no trace")
      rows.append("| `\(act.name)` | \(found) |")
    }
    let page = URL(filePath: #filePath).appending(path: "../../../../../Docs/SECURITY.md").standardized
    let header = "| a program, or `gate` | event |"
    let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    let documented = lines.drop { $0 != header }.dropFirst(2).prefix { $0.hasPrefix("|") }.map(String.init)
    #expect(documented == rows, "the table of Docs/SECURITY.md must be:\n\(rows.joined(separator: "\n"))")
  }

  /// No work with the provider can forget its trace, because the compiler asks for it. This finds a name without a row.
  @Test func `the table has a row for each work that the sources name`() throws {
    let folder = URL(filePath: #filePath).appending(path: "../../../../../Sources/Provider/GatehouseLocal").standardized
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var named: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /\.administrator\("(\w+)"/) { named.insert(String(match.1)) }
    }
    #expect(named == Set(Self.acts(in: "").map(\.name)))
  }

  @Test func `without its event, nothing is given out`() async throws {
    let scene = Scene(), folder = scene.folder.path
    let user = try await scene.signUp()
    _ = try await scene.signUp("bob@example.com")
    _ = try await scene.backend.setDisabled(.uid(user.localId), false)
    try scene.spoilLog("administration")
    var link = MakeActionLink(.passwordReset, email: "ada@example.com")
    link.returnOobLink = true
    var several = LookupAccounts()
    several.email = ["ada@example.com", "bob@example.com"]
    var single = LookupAccounts()
    single.localId = [user.localId]
    let backend = scene.backend
    await expectRefusal(.providerUnavailable) { [link] in try await backend.answer(link) }
    await expectRefusal(.providerUnavailable) { [several] in try await backend.answer(several) }
    await expectRefusal(.providerUnavailable) { try await backend.answer(ListAccounts()) }
    await expectRefusal(.providerUnavailable) { try await backend.answer(QueryAccounts()) }
    await expectRefusal(.providerUnavailable) {
      try await backend.answer(ListResources(.tenant, pageSize: nil, pageToken: nil))
    }
    await expectRefusal(.providerUnavailable) { try await backend.answer(CreateSessionCookie(idToken: user.idToken)) }
    await expectRefusal(.providerUnavailable) { try await backend.customToken(forUser: "ada") }
    await expectRefusal(.providerUnavailable) { try await backend.accounts() }
    await expectRefusal(.providerUnavailable) { try await backend.exportUsers(to: folder + "/users.json") }
    await expectRefusal(.providerUnavailable) { try await backend.backup(to: folder + "/backup") }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(files == ["home"], "\(files)")
    // A single read goes on.
    #expect(try await backend.answer(single).users?.count == 1)
    try await backend.close()
  }

  @Test func `single reads are summed by credential, call and minute`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    func caller(_ key: String) -> CallerBackend {
      var caller = Caller.administrator
      caller.credential = .serviceAccount("deploy@local.iam.gserviceaccount.com", keyID: key)
      return scene.backend.backend(for: caller)
    }
    var lookup = LookupAccounts()
    lookup.localId = [user.localId]
    for _ in 1...20 { _ = try await caller("a").answer(lookup) }
    for _ in 1...3 { _ = try await caller("b").answer(lookup) }
    _ = try? await caller("a").answer(UpdateAccount(localId: "missing"))
    await scene.backend.settle()
    #expect(!FileManager.default.fileExists(atPath: scene.logPath("reads")), "written in the middle of the minute")
    scene.clock.advance(by: 60)
    _ = try await scene.backend.answer(GetPasswordPolicy())
    await scene.backend.settle()
    let lines = try scene.events(in: "reads")
    func count(_ call: String, _ key: String) -> (count: Int64?, refused: Int64?) {
      let found = lines.filter { $0["call"] == .string(call) && $0["credential"]?["key"] == .string(key) }
      #expect(found.count == 1, "\(call) \(key): \(lines)")
      return (found.first?["count"]?.integer, found.first?["refused"]?.integer)
    }
    #expect(lines.count == 3 && lines.allSatisfy { $0.name == "callsMade" && $0["time"] == "2027-01-15T08:00:00.000Z" })
    #expect(count("lookupAccounts", "a") == (20, nil))
    #expect(count("lookupAccounts", "b") == (3, nil))
    #expect(count("updateAccount", "a") == (1, 1))
    for _ in 1...2 { _ = try await caller("a").answer(lookup) }
    try await scene.backend.close()
    #expect(try scene.events(in: "reads").last?["count"] == 2)
  }

  @Test func `reads have files of their own, of limited number, and memory for a limited number of lines`() async throws
  {
    let scene = Scene { $0.audit = AuditOptions(maximumBytes: 4096, keptFiles: 1) }
    _ = try await scene.backend.answer(CreateAccount(localId: "eve"))
    for number in 1...2500 {
      var caller = Caller.administrator
      caller.credential = .serviceAccount("a\(number)@local.iam.gserviceaccount.com", keyID: nil)
      _ = try? await scene.backend.backend(for: caller).answer(LookupAccounts())
      if number.isMultiple(of: 500) { await scene.backend.settle() }
    }
    try await scene.backend.close()
    #expect(try scene.logFiles.filter { $0.hasPrefix("reads") } == ["reads.1.jsonl", "reads.jsonl"])
    #expect(try scene.events(in: "administration").map(\.name) == ["accountCreated"])
  }

  @Test func `a change names the fields that it has changed, and no value`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    var edit = AccountEdit()
    (edit.displayName, edit.password, edit.email) = ("Countess", Secret("battery staple"), "Ada@example.com")
    edit.claims = ["role": "countess"]
    edit.isEmailVerified = true
    _ = try await scene.backend.updateAccount(.uid(user.localId), edit)
    var again = AccountEdit()
    (again.displayName, again.isEmailVerified) = ("Countess", true)
    again.factors = [EnrolledPhone(phoneNumber: "+12025550124")]
    _ = try await scene.backend.updateAccount(.uid(user.localId), again)
    var draft = AccountDraft()
    (draft.email, draft.isDisabled) = ("bob@example.com", true)
    _ = try await scene.backend.createAccount(draft)
    var imported = ImportedAccount(localId: user.localId)
    imported.displayName = "Grace"
    var call = ImportAccounts(users: [imported])
    call.allowOverwrite = true
    _ = try await scene.backend.answer(call)
    try await scene.backend.configure(
      ["mfa": ["state": "DISABLED"], "signIn": ["phoneNumber": ["testPhoneNumbers": ["+12025550124": "123456"]]]],
      mask: nil)
    let tenant = try await scene.backend.answer(CreateResource(.tenant, ["displayName": "north"])).json
    let id = try #require(tenant["name"]?.string?.split(separator: "/").last.map(String.init))
    _ = try await scene.backend.answer(
      UpdateResource(.tenant, id, ["displayName": "south", "testPhoneNumbers": ["12025550124": "123456"]], mask: nil))
    try await scene.backend.close()
    let events = try scene.events(in: "administration")
    let changes: [String] = events.map { event in
      let names = event["changed"]?.array?.compactMap(\.string).joined(separator: " ")
      return "\(event.name ?? ""): \(names ?? "-")"
    }
    let expected: [String] = [
      "accountUpdated: emailVerified displayName password claims", "accountUpdated: secondFactors",
      "accountCreated: email disabled",
      "accountUpdated: email emailVerified displayName password claims secondFactors",
      "configurationChanged: mfa signIn", "configurationChanged: ", "tenantCreated: -",
      "configurationChanged: testPhoneNumbers", "configurationChanged: displayName",
    ]
    #expect(changes == expected)
    let text = String(decoding: try scene.logBytes("administration"), as: UTF8.self)
    for value in ["Countess", "countess", "battery", "2025550124", "123456", "DISABLED", "Grace", "south"] {
      #expect(!text.contains(value), "\(value)")
    }
  }

  /// Each stored column has a name in `changed`, or a reason for none.
  @Test func `no column of an account changes without a name`() throws {
    let reasons: Set = [
      // These never change, or only by the user's own sign-ins.
      "uid", "tenant", "createdAt", "createdFrom", "lastLoginAt", "lastRefreshAt",
      // They follow from the password.
      "passwordUpdatedAt", "passwordGeneration",
    ]
    let columns = StoredAccount.columns.split(separator: ", ").map { $0.dropFirst("account.".count) }
    #expect(columns.count == StoredAccount.columnCount)
    let old = StoredAccount(uid: "ada", of: "", at: Moment(seconds: 1))
    for column in columns.map(String.init) where !reasons.contains(column) {
      var json = try #require(JSONSerialization.jsonObject(with: JSONEncoder().encode(old)) as? [String: Any])
      switch json[column] {
      case is Bool where column != "validSince": json[column] = true
      case nil: json[column] = "x"
      default: json[column] = 7
      }
      let new = try JSONDecoder().decode(StoredAccount.self, from: JSONSerialization.data(withJSONObject: json))
      #expect(new.changedNames(from: old) == [column], "\(column)")
    }
  }

  @Test func `each kind of credential has its form, and old lines stay as they are`() async throws {
    func text(_ credential: AdministratorCredential) -> String { credential.json.description }
    #expect(
      text(.serviceAccount("a@b", keyID: "k")) == #"{"kind":"serviceAccount","name":"a@b","key":"k"}"#)
    #expect(text(.gate).hasPrefix(#"{"kind":"gate","#) && text(.gate).contains(#""uid":\#(geteuid())"#))
    #expect(text(.emulator) == #"{"kind":"emulator"}"#)
    #expect(text(.provider(keyID: "k")) == #"{"kind":"provider","key":"k"}"#)
    let scene = Scene { $0.holder = .gate }
    let user = try await scene.signUp()
    _ = try await scene.backend.setDisabled(.uid(user.localId), true)
    let old = #"{"time":"2026-11-01T00:00:00.000Z","event":"accountDisabled","uid":"eve","by":"administrator"}"# + "\n"
    let path = scene.logPath("administration")
    try (Data(old.utf8) + Data(contentsOf: URL(fileURLWithPath: path))).write(to: URL(fileURLWithPath: path))
    _ = try await scene.backend.setDisabled(.uid(user.localId), false)
    try await scene.backend.close()
    let events = try scene.events(in: "administration")
    #expect(events.map(\.name) == ["accountDisabled", "accountDisabled", "accountEnabled"])
    #expect(events.map { $0["credential"]?["kind"] } == [nil, "gate", "gate"])
    #expect(events.allSatisfy { $0["by"] == "administrator" })
  }
}
