import Foundation
import GatehouseBase
import GatehouseJOSE
import GatehouseLocal
import GatehouseServer
import GatehouseTesting
import IdentityToolkit
import Testing

/// The trace that each call of a service account leaves in the audit log.
struct AdministratorEventTests {
  /// A call of an administrator: a row of the table in `Docs/SECURITY.md`.
  private struct Act {
    let title: String
    let method: String
    /// The last part of the paths that it has.
    let endings: [String]
    /// Query and body of a call that is carried out, and of one that is refused; `nil` if no such call is refused.
    let done: Message
    let refused: Message?
    var isCounted = false
  }

  private struct Message {
    var query = ""
    var body = ""
  }

  private static func json(_ body: String) -> Message { Message(body: body) }

  /// `UID`, `OTHER`, `DEAD`, `NEW`, `TOKEN` and `SESSION` are replaced.
  private static let acts: [Act] = [
    Act(
      title: "creates an account", method: "POST", endings: ["accounts", "accounts:signUp", "signupNewUser"],
      done: json(#"{"localId":"NEW"}"#), refused: json(#"{"localId":"UID"}"#)),
    Act(
      title: "looks one account up", method: "POST", endings: ["accounts:lookup", "getAccountInfo"],
      done: json(#"{"localId":["UID"]}"#), refused: nil),
    Act(
      title: "looks several accounts up", method: "POST", endings: ["accounts:lookup", "getAccountInfo"],
      done: json(#"{"localId":["UID","OTHER"]}"#), refused: nil),
    Act(
      title: "imports accounts", method: "POST", endings: ["accounts:batchCreate", "uploadAccount"],
      done: json(#"{"users":[{"localId":"NEW"}]}"#), refused: json(#"{"users":[]}"#)),
    Act(
      title: "overwrites accounts by an import", method: "POST", endings: ["accounts:batchCreate", "uploadAccount"],
      done: json(#"{"allowOverwrite":true,"users":[{"localId":"DEAD","displayName":"Dee"}]}"#), refused: nil),
    Act(
      title: "changes an account", method: "POST", endings: ["accounts:update", "setAccountInfo"],
      done: json(#"{"localId":"OTHER","displayName":"NEW","password":"correct horse"}"#),
      refused: json(#"{"localId":"missing","displayName":"Eve"}"#)),
    Act(
      title: "disables an account", method: "POST", endings: ["accounts:update", "setAccountInfo"],
      done: json(#"{"localId":"OTHER","disableUser":true}"#), refused: nil),
    Act(
      title: "enables an account", method: "POST", endings: ["accounts:update", "setAccountInfo"],
      done: json(#"{"localId":"OTHER","disableUser":false}"#), refused: nil),
    Act(
      title: "deletes an account", method: "POST", endings: ["accounts:delete", "deleteAccount"],
      done: json(#"{"localId":"DEAD"}"#), refused: json(#"{"localId":"missing"}"#)),
    Act(
      title: "deletes accounts", method: "POST", endings: ["accounts:batchDelete"],
      done: json(#"{"localIds":["DEAD"],"force":true}"#),
      refused: json(#"{"localIds":[\#(Array(repeating: #""x""#, count: 1001).joined(separator: ","))]}"#)),
    Act(
      title: "lists accounts with their password hashes", method: "GET", endings: ["accounts:batchGet"],
      done: Message(query: "maxResults=10"), refused: Message(query: "maxResults=0")),
    Act(
      title: "lists accounts with their password hashes", method: "POST", endings: ["downloadAccount"],
      done: json(#"{"maxResults":10}"#), refused: json(#"{"maxResults":0}"#)),
    Act(
      title: "queries accounts", method: "POST", endings: ["accounts:query", "local:queryAccounts"],
      done: json(#"{"limit":"10"}"#), refused: json(#"{"limit":"0"}"#)),
    Act(
      title: "counts accounts", method: "POST", endings: ["accounts:query", "local:queryAccounts"],
      done: json(#"{"returnUserInfo":false}"#), refused: nil),
    Act(
      title: "gets the link of a message (`returnOobLink`)", method: "POST",
      endings: ["accounts:sendOobCode", "getOobConfirmationCode"],
      done: json(#"{"requestType":"PASSWORD_RESET","email":"UID@example.com","returnOobLink":true}"#),
      refused: json(#"{"requestType":"PASSWORD_RESET","email":"missing@example.com","returnOobLink":true}"#)),
    Act(
      title: "has a message sent", method: "POST", endings: ["accounts:sendOobCode", "getOobConfirmationCode"],
      done: json(#"{"requestType":"PASSWORD_RESET","email":"UID@example.com"}"#), refused: nil),
    Act(
      title: "makes a session cookie", method: "POST",
      endings: ["local:createSessionCookie", "north:createSessionCookie"],
      done: json(#"{"idToken":"TOKEN","validDuration":"300"}"#), refused: json(#"{"idToken":"x"}"#)),
    Act(
      title: "checks a session", method: "POST", endings: ["accounts:checkSession"],
      done: json(#"{"localId":"UID","sessionId":"SESSION"}"#), refused: json(#"{"localId":"missing","sessionId":"x"}"#)),
    Act(
      title: "creates a tenant", method: "POST", endings: ["tenants"],
      done: json(#"{"displayName":"east"}"#), refused: json(#"{"mfaConfig":{"state":"SOMETIMES"}}"#)),
    Act(
      title: "reads one tenant or identity provider, or the configuration", method: "GET",
      endings: ["tenants/north", "oauthIdpConfigs/oidc.one", "inboundSamlConfigs/saml.one"], done: Message(),
      refused: nil),
    Act(
      title: "reads one tenant or identity provider, or the configuration", method: "GET", endings: ["local/config"],
      done: Message(), refused: nil),
    Act(
      title: "lists tenants or identity providers", method: "GET",
      endings: ["tenants", "oauthIdpConfigs", "inboundSamlConfigs"], done: Message(),
      refused: Message(query: "pageSize=0")),
    Act(
      title: "creates an identity provider", method: "POST", endings: ["oauthIdpConfigs"],
      done: Message(query: "oauthIdpConfigId=oidc.NEW", body: #"{"clientId":"c","issuer":"https://id.test"}"#),
      refused: json("{}")),
    Act(
      title: "creates an identity provider", method: "POST", endings: ["inboundSamlConfigs"],
      done: Message(query: "inboundSamlConfigId=saml.NEW", body: saml), refused: json("{}")),
    Act(
      title: "changes a tenant, an identity provider or the configuration", method: "PATCH", endings: ["tenants/north"],
      done: json(#"{"displayName":"NEW"}"#), refused: json(#"{"mfaConfig":{"state":"SOMETIMES"}}"#)),
    Act(
      title: "changes a tenant, an identity provider or the configuration", method: "PATCH",
      endings: ["oauthIdpConfigs/oidc.one", "inboundSamlConfigs/saml.one"], done: json(#"{"displayName":"NEW"}"#),
      refused: nil),
    Act(
      title: "changes a tenant, an identity provider or the configuration", method: "PATCH", endings: ["local/config"],
      done: json(#"{"emailPrivacyConfig":{"enableImprovedEmailPrivacy":true}}"#),
      refused: json(#"{"mfa":{"state":"SOMETIMES"}}"#)),
    Act(
      title: "deletes an identity provider", method: "DELETE",
      endings: ["oauthIdpConfigs/oidc.one", "inboundSamlConfigs/saml.one"], done: Message(), refused: nil),
    // The last ones of their tenant.
    Act(title: "deletes a tenant", method: "DELETE", endings: ["tenants/north"], done: Message(), refused: nil),
    Act(
      title: "makes a call of clients", method: "POST", endings: ["accounts:signInWithPassword", "verifyPassword"],
      done: json(#"{"email":"ada@example.com","password":"correct horse"}"#),
      refused: json(#"{"email":"ada@example.com","password":"wrong horse"}"#)),
  ]

  private static let saml = #"""
    {"idpConfig":{"idpEntityId":"i","ssoUrl":"https://id.test","idpCertificates":[{"x509Certificate":"c"}]},\#
    "spConfig":{"spEntityId":"s"}}
    """#

  /// A server, a service account, and what its calls are about.
  private struct Place {
    let scene: ServerScene
    let account: KeyFile

    init() async throws {
      scene = ServerScene {
        $0.delivery = SilentDelivery()
        $0.enumerationProtection = false
      }
      account = try await KeyFile(scene)
    }

    /// Makes what a call is about, as if none had come before.
    ///
    /// - Returns: The texts that stand for the words in a message.
    func prepare(_ number: Int, inTenant isInTenant: Bool) async throws -> [String: String] {
      let provider = scene.provider
      _ = try? await provider.createTenant("north")
      let tenant = isInTenant ? "north" : nil, uid = isInTenant ? "nada" : "ada"
      for (uid, email) in [(uid, "\(uid)@example.com"), ("\(uid)2", "\(uid)2@example.com"), ("dead\(number)", nil)] {
        var call = CreateAccount(localId: uid)
        (call.tenantId, call.email, call.password) = (tenant, email, email.map { _ in Secret("correct horse") })
        _ = try? await provider.answer(call)
      }
      for tenant in [nil, "north"] {
        let issuer: JSONObject = ["clientId": "c", "issuer": "https://id.test"]
        _ = try? await provider.answer(CreateResource(.oauthIdpConfig, newID: "oidc.one", issuer, of: tenant))
        let saml = try JSONObject(parsing: AdministratorEventTests.saml.utf8)
        _ = try? await provider.answer(CreateResource(.inboundSamlConfig, newID: "saml.one", saml, of: tenant))
      }
      var signIn = SignInWithPassword(email: "\(uid)@example.com", password: Secret("correct horse"))
      signIn.tenantId = tenant
      let session = try await provider.answer(signIn)
      let claims = try UnverifiedToken(session.idToken.revealed)
      return [
        "UID": uid, "OTHER": "\(uid)2", "DEAD": "dead\(number)", "NEW": "new\(number)",
        "TOKEN": session.idToken.revealed, "SESSION": claims["sid"]?.string ?? "",
      ]
    }

    func send(
      _ method: String, _ path: String, _ message: Message, _ words: [String: String], _ token: String
    ) async -> Reply {
      func filled(_ text: String) -> String { words.reduce(text) { $0.replacing($1.key, with: $1.value) } }
      let query = message.query.isEmpty ? "" : "?\(filled(message.query))"
      var request = ServerRequest(method, path + query)
      request.headers["Authorization"] = "Bearer \(token)"
      request.body = Array(filled(message.body).utf8)
      return await scene.send(request)
    }
  }

  private struct SilentDelivery: MessageDelivery {
    func deliver(_ message: OutgoingMessage) async throws(AuthError) {}
  }

  /// The last part of a path, or the last two, as an act names them.
  private static func matches(_ path: String, _ ending: String) -> Bool {
    path.hasSuffix("/\(ending)")
  }

  private static func path(of route: String) -> String {
    var path = String(route.drop { $0 != " " }.dropFirst())
    let id = path.contains("oauthIdpConfigs") ? "oidc.one" : path.contains("inboundSaml") ? "saml.one" : "north"
    for (name, value) in [("project", "local"), ("tenantId", "north"), ("id", id)] {
      path = path.replacing("{\(name)}", with: value)
    }
    return path
  }

  @Test func `each call of a service account leaves the event that the table names`() async throws {
    let place = try await Place(), scene = place.scene
    /// What was called in which minute.
    var calls: [(minute: Int64, act: Act, isRefused: Bool, route: String)] = []
    var secrets: Set<String> = ["correct horse", "wrong horse"]
    for (number, route) in scene.server.routes.enumerated() {
      let path = Self.path(of: route), method = String(route.prefix { $0 != " " })
      let acts = Self.acts.filter { act in
        act.method == method && act.endings.contains { Self.matches(path, $0) }
      }
      if acts.isEmpty {
        // Every other route is open, or one of clients.
        let reply = await scene.send(
          ServerRequest(method, "\(path)?key=k", body: method == "GET" ? [] : Array("{}".utf8)))
        #expect(
          reply.message?.contains("administrator") != true, "\(route) is an administrator's, and the table lacks it")
        continue
      }
      for act in acts {
        for (message, isRefused) in [(act.done, false), (act.refused, true)] {
          guard let message else { continue }
          let words = try await place.prepare(calls.count + 1000 * number, inTenant: path.contains("/tenants/north"))
          // A minute of its own.
          scene.clock.advance(by: 60)
          let token = try await place.account.accessToken(scene)
          let reply = await place.send(method, path, message, words, token)
          #expect((reply.status == 200) != isRefused, "\(route): \(act.title): \(reply.json)")
          calls.append((Int64(scene.clock.now().wall) / 60, act, isRefused, route))
          secrets.formUnion([token, words["TOKEN"] ?? "-"])
          for name in ["oobLink", "oobCode", "sessionCookie"] { secrets.formUnion([reply[name]].compactMap(\.self)) }
          for user in reply.json["users"]?.array ?? [] {
            for name in ["passwordHash", "salt"] {
              secrets.formUnion([user[name]?.string].compactMap(\.self).filter { !$0.isEmpty })
            }
          }
        }
      }
    }
    try await scene.provider.close()
    let log = try scene.log()
    let events = try Self.eventsByMinute(log, of: place.account)
    var cells: [String: [Bool: Set<String>]] = [:]
    for call in calls {
      cells[call.act.title, default: [:]][call.isRefused, default: []].insert(events[call.minute] ?? "")
    }
    var rows: [String] = []
    for title in Self.acts.map(\.title) where !rows.contains(where: { $0.hasPrefix("| \(title) |") }) {
      let cell = [false, true].map { isRefused in
        let found = cells[title]?[isRefused] ?? []
        #expect(found.count < 2, "\(title) leaves different events: \(found.sorted())")
        return isRefused && found.isEmpty ? "" : found.sorted().first ?? ""
      }
      #expect(!cell[0].isEmpty, "\(title) leaves no trace")
      rows.append("| \(title) | \(cell[0]) | \(cell[1]) |")
    }
    try Self.compare(rows, under: "| a service account | event, if the call is carried out | event, if it is refused |")
    for (name, text) in log {
      for secret in secrets { #expect(!text.contains(secret), "\(name) has a secret: \(secret)") }
    }
  }

  /// The events of the service account's calls, as a cell of the table names them.
  private static func eventsByMinute(_ log: [String: String], of account: KeyFile) throws -> [Int64: String] {
    var found: [Int64: Set<String>] = [:]
    for (name, text) in log {
      for line in text.split(separator: "\n") {
        let event = try JSONObject(parsing: line.utf8)
        guard event["credential"]?["kind"] == "serviceAccount" else { continue }
        #expect(event["credential"]?["name"] == .string(account.email), "\(line)")
        #expect(event["credential"]?["key"] == account.json["private_key_id"], "\(line)")
        guard event["call"] != "accessToken" else { continue }
        let time = try Date(
          #require(event["time"]?.string), strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        var cell = "`\(event["event"]?.string ?? "")` in `\(name)`"
        for member in ["changed", "count", "call", "refused"] where event[member] != nil { cell += ", `\(member)`" }
        found[Int64(time.timeIntervalSince1970) / 60, default: []].insert(cell)
      }
    }
    return found.mapValues { $0.sorted().joined(separator: "; ") }
  }

  /// Compares the rows of a table of `Docs/SECURITY.md`.
  static func compare(_ rows: [String], under header: String) throws {
    let page = URL(filePath: #filePath).appending(path: "../../../../Docs/SECURITY.md").standardized
    let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    let documented = lines.drop { $0 != header }.dropFirst(2).prefix { $0.hasPrefix("|") }.map(String.init)
    #expect(
      documented == rows, "the table of Docs/SECURITY.md under \(header) must be:\n\(rows.joined(separator: "\n"))")
  }

  @Test func `a refused credential is counted, under the name of the service account that it claims`() async throws {
    let scene = ServerScene()
    let account = try await KeyFile(scene), past = try await KeyFile(scene, name: "past")
    let token = try await past.accessToken(scene)
    let user = await scene.signUp()
    _ = try await scene.provider.deleteServiceAccount("past")
    func send(_ bearer: String) async -> Int {
      let body = Array(#"{"localId":["ada"]}"#.utf8)
      return await scene.send(
        ServerRequest(
          "POST", "/v1/projects/local/accounts:lookup", headers: ["Authorization": "Bearer \(bearer)"], body: body)
      ).status
    }
    let stale = try account.assertion {
      $0["aud"] = "https://identitytoolkit.googleapis.com/"
      $0["sub"] = .string(account.email)
      ($0["iat"], $0["exp"]) = (1, 2)
    }
    for bearer in [token, stale, stale, user.idToken, "x"] { #expect(await send(bearer) == 401) }
    #expect(await scene.send(KeyFile.grant(stale)).status == 400)
    try await scene.provider.close()
    let lines = try #require(scene.log()["refused.jsonl"]).split(separator: "\n")
    let events = try lines.map { try JSONObject(parsing: $0.utf8) }.filter { $0["event"] == "credentialRefused" }
    #expect(events.compactMap { $0["count"]?.integer }.reduce(0, +) == 6, "\(lines)")
    let named = events.filter { $0["credential"] != nil }
    #expect(named.allSatisfy { $0["credential"]?["name"] == .string(account.email) }, "\(lines)")
    #expect(named.compactMap { $0["count"]?.integer }.reduce(0, +) == 3, "\(lines)")
    for secret in [token, stale, user.idToken] { #expect(!lines.contains { $0.contains(secret) }) }
  }

  @Test func `a sign-in with a custom token names the service account that has signed it`() async throws {
    let scene = ServerScene()
    let account = try await KeyFile(scene)
    func signIn(_ token: String) async {
      _ = await scene.post("/v1/accounts:signInWithCustomToken", #"{"token":"\#(token)"}"#)
    }
    await signIn(try account.customToken())
    await signIn(try await scene.provider.customToken(forUser: "ada"))
    try await scene.provider.close()
    let log = try scene.log()
    func events(_ name: String, _ event: String) throws -> [JSONObject] {
      try (log[name] ?? "").split(separator: "\n").map { try JSONObject(parsing: $0.utf8) }
        .filter { $0["event"] == .string(event) }
    }
    let signIns = try events("audit.jsonl", "signIn").map { $0["credential"] }
    #expect(signIns.map { $0?["kind"] } == ["serviceAccount", "provider"])
    #expect(signIns[0]?["name"] == .string(account.email) && signIns[0]?["key"] == account.json["private_key_id"])
    #expect(signIns[1]?["key"]?.string?.isEmpty == false)
    let counted = try events("reads.jsonl", "callsMade").filter { $0["call"] == "signInWithCustomToken" }
    #expect(Set(counted.map { $0["credential"]?["kind"] }) == ["serviceAccount", "provider"])
    let made = try events("administration.jsonl", "customTokenMade")
    #expect(made.map { $0["uid"] } == ["ada"] && made[0]["credential"]?["kind"] == "program")
  }
}

extension ServerScene {
  /// The files of the audit log, by their names.
  func log() throws -> [String: String] {
    let folder = URL(fileURLWithPath: auditFolder)
    let names = try FileManager.default.contentsOfDirectory(atPath: auditFolder).filter { $0.hasSuffix(".jsonl") }
    return try Dictionary(
      uniqueKeysWithValues: names.map { name in
        (name, String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self))
      })
  }
}
