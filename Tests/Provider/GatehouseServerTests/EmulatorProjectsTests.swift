import Foundation
import GatehouseBase
import GatehouseHTTP
import GatehouseLocal
import GatehouseQueues
import GatehouseServer
import GatehouseTesting
import Testing

/// An emulator has as many projects as its clients name.
struct EmulatorProjectsTests {
  private static let owner: TransportHeaders = ["Authorization": "Bearer owner"]

  @Test func `each project has accounts, codes and a configuration of its own`() async throws {
    try await Scene.with { scene in
      let ada = await scene.signUp("ada@example.com", in: "one")
      #expect(ada.status == 200)
      #expect(await scene.signUp("ada@example.com", in: "two").status == 200)
      #expect(await scene.signUp("ada@example.com", in: "local").status == 200)
      for project in ["one", "two", "local"] {
        #expect(await scene.addresses(in: project) == ["ada@example.com"])
      }

      // An administrator may name the project in targetProjectId, too.
      let named = #"{"email":"bob@example.com","password":"correct horse","targetProjectId":"one"}"#
      #expect(await scene.server.post("/v1/accounts:signUp", named, headers: Self.owner).status == 200)
      #expect(await scene.addresses(in: "one") == ["ada@example.com", "bob@example.com"])
      #expect(await scene.addresses(in: "local") == ["ada@example.com"])

      let mail = #"{"requestType":"PASSWORD_RESET","email":"ada@example.com","targetProjectId":"two"}"#
      #expect(await scene.server.post("/v1/accounts:sendOobCode", mail, headers: Self.owner).status == 200)
      #expect(await scene.codes(in: "two").count == 1)
      #expect(await scene.codes(in: "one").isEmpty)
      #expect(await scene.codes(in: "local").isEmpty)

      let change = #"{"emailPrivacyConfig":{"enableImprovedEmailPrivacy":true}}"#
      let alone = ServerRequest("PATCH", "/emulator/v1/projects/one/config", body: Array(change.utf8))
      #expect(await scene.server.send(alone).status == 200)
      for (project, isPrivate) in [("one", true), ("two", false), ("local", false)] {
        let config = await scene.server.get("/emulator/v1/projects/\(project)/config")
        #expect(config.json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool == isPrivate, "\(project)")
      }

      let clear = ServerRequest("DELETE", "/emulator/v1/projects/one/accounts")
      #expect(await scene.server.send(clear).status == 200)
      #expect(await scene.addresses(in: "one").isEmpty)
      #expect(await scene.addresses(in: "two") == ["ada@example.com"])
      #expect(await scene.addresses(in: "local") == ["ada@example.com"])
    }
  }

  @Test func `members of a configuration that have no effect are taken, each in its own project`() async throws {
    try await Scene.with { scene in
      func change(_ project: String, _ mask: String, _ json: String) async -> Int {
        let path = "/v2/projects/\(project)/config?updateMask=\(mask)"
        return await scene.server.send(
          ServerRequest("PATCH", path, headers: Self.owner, body: Array(json.utf8))
        ).status
      }
      let projects = [("one", "+12025550123"), ("two", "+12025550199")]
      for (project, phone) in projects {
        #expect(await scene.signUp("ada@example.com", in: project).status == 200)
        let changes = [
          ("signIn.phoneNumber", #"{"signIn":{"phoneNumber":{"testPhoneNumbers":{"\#(phone)":"123456"}}}}"#),
          ("recaptchaConfig.useAccountDefender", #"{"recaptchaConfig":{"useAccountDefender":\#(project == "one")}}"#),
          ("mobileLinksConfig.domain", #"{"mobileLinksConfig":{"domain":"HOSTING_DOMAIN"}}"#),
          ("signIn.email.enabled", #"{"signIn":{"email":{"enabled":false}}}"#),
        ]
        for (mask, json) in changes { #expect(await change(project, mask, json) == 200, "\(project) \(mask)") }
      }
      for (project, phone) in projects {
        let kept = await scene.server.get("/v2/projects/\(project)/config", headers: Self.owner).json
        #expect(kept["signIn"]?["phoneNumber"]?["testPhoneNumbers"]?.object?.names == [phone])
        #expect(kept["recaptchaConfig"]?["useAccountDefender"]?.bool == (project == "one"))
        #expect(kept["mobileLinksConfig"]?["domain"] == "HOSTING_DOMAIN")
        // Stored, and without effect.
        #expect(await scene.signUp("bob@example.com", in: project).status == 200)
      }
    }
  }

  @Test func `a project's tokens name it, and the server's keys verify those of all`() async throws {
    try await Scene.with { scene in
      let made = await scene.signUp("ada@example.com", in: "one")
      let reply = await scene.signIn("ada@example.com", in: "one")
      #expect(made.status == 200 && reply.status == 200)
      let token = try #require(reply["idToken"])
      let parts = token.split(separator: ".").map(String.init)
      let header = try JSONObject(parsing: try #require(base64URL(parts[0])))
      let claims = try JSONObject(parsing: try #require(base64URL(parts[1])))
      #expect(claims["aud"] == "one" && claims["iss"] == "https://securetoken.google.com/one")
      let keys = await scene.server.get("/.well-known/jwks.json").json["keys"]?.array ?? []
      #expect(keys.contains { $0["kid"] == header["kid"] })
      #expect(Set(keys.compactMap { $0["kid"]?.string }).count == 2)
    }
  }

  @Test(arguments: ["..", ".", ".x", "%2e%2e", "a%2Fb", "a%20b", "%C3%A4", String(repeating: "a", count: 64)])
  func `a name that cannot be a folder's is refused, and makes none`(name: String) async throws {
    try await Scene.with { scene in
      let reply = await scene.server.get("/emulator/v1/projects/\(name)/oobCodes")
      #expect([400, 404].contains(reply.status), "\(reply.json)")
      #expect(scene.made.withLock { $0 }.isEmpty)
    }
  }

  @Test func `sixty-four projects are open, and the one that was idle for longest is closed and comes back`()
    async throws
  {
    try await Scene.with { scene in
      for number in 0..<64 { #expect(await scene.signUp("bob@example.com", in: "p\(number)").status == 200) }
      #expect(await scene.signUp("ada@example.com", in: "p0").status == 200)
      #expect(await scene.signUp("bob@example.com", in: "p64").status == 200)
      #expect(scene.made.withLock { $0 }.count == 65)
      // p1 was idle for longest.
      #expect(await scene.addresses(in: "p0") == ["ada@example.com", "bob@example.com"])
      #expect(scene.made.withLock { $0 }.count == 65)
      #expect(await scene.addresses(in: "p1") == ["bob@example.com"])
      #expect(scene.made.withLock { $0 }.suffix(1) == ["p1"])
    }
  }

  @Test func `a project that cannot be made is tried again at the next request`() async throws {
    try await Scene.with { scene in
      scene.fails.withLock { $0 = true }
      #expect(await scene.signUp("ada@example.com", in: "one").status == 503)
      scene.fails.withLock { $0 = false }
      #expect(await scene.signUp("ada@example.com", in: "one").status == 200)
    }
  }

  @Test func `a request whose project cannot be read is refused, and changes no other project`() async throws {
    try await Scene.with { scene in
      let person = #"{"email":"ada@example.com","password":"correct horse","targetProjectId":"#
      for odd in ["5}", "[]}", #""../x"}"#, #""one""#] {
        let reply = await scene.server.post("/v1/accounts:signUp", person + odd, headers: Self.owner)
        #expect(reply.status == 400, "\(reply.json)")
      }
      #expect(await scene.addresses(in: "local").isEmpty)
      // An import is longer than other requests may be.
      let long = String(repeating: " ", count: 2 << 20)
      let users = #"{"targetProjectId":"one","users":[{"localId":"ada","displayName":"Ada"}]\#(long)}"#
      let reply = await scene.server.post("/v1/accounts:batchCreate", users, headers: Self.owner)
      #expect(reply.status == 200, "\(reply.json)")
      for (project, count) in [("one", 1), ("local", 0)] {
        let page = await scene.server.get("/v1/projects/\(project)/accounts:batchGet", headers: Self.owner)
        #expect((page.json["users"]?.array ?? []).count == count, "\(project)")
      }
    }
  }

  @Test func `reading and clearing make no project`() async throws {
    try await Scene.with { scene in
      let place = "/emulator/v1/projects/none"
      for (path, name) in [("oobCodes", "oobCodes"), ("verificationCodes", "verificationCodes")] {
        let reply = await scene.server.get("\(place)/\(path)")
        #expect(reply.status == 200 && reply.json[name]?.array == [])
      }
      #expect(await scene.server.send(ServerRequest("DELETE", "\(place)/accounts")).status == 200)
      for request in [
        ServerRequest("GET", "\(place)/config"), ServerRequest("PATCH", "\(place)/config", body: Array("{}".utf8)),
      ] {
        let reply = await scene.server.send(request)
        #expect(reply.status == 404 && reply.message?.contains("begins with its first account") == true)
      }
      for (path, body) in [
        ("accounts:lookup", #"{"localId":["ada"]}"#), ("accounts:query", "{}"),
        ("accounts:update", #"{"localId":"ada"}"#), ("accounts:delete", #"{"localId":"ada"}"#),
      ] {
        let reply = await scene.server.post("/v1/projects/none/\(path)", body, headers: Self.owner)
        #expect(reply.status == 200 && reply.json["users"] == nil || reply.message == "USER_NOT_FOUND", "\(reply.json)")
      }
      #expect(await scene.addresses(in: "none").isEmpty)
      #expect(scene.made.withLock { $0 }.isEmpty)
      // Neither does one that waits for another's answer lose what it asks for.
      async let codes = scene.codes(in: "one")
      async let made = scene.signUp("ada@example.com", in: "one")
      #expect(await made.status == 200)
      _ = await codes
      #expect(await scene.addresses(in: "one") == ["ada@example.com"])
    }
  }

  @Test func `many first requests at once make a project once`() async throws {
    try await Scene.with { scene in
      await withTaskGroup { group in
        for number in 0..<20 {
          group.addTask { _ = await scene.signUp("ada\(number)@example.com", in: "one") }
        }
      }
      #expect(scene.made.withLock { $0 } == ["one"])
      #expect(await scene.addresses(in: "one").count == 20)
    }
  }

  @Test func `codes that were used leave the list, and those of a tenant are in its own`() async throws {
    let scene = ServerScene(isEmulator: true)
    _ = try await scene.provider.createTenant("north")
    _ = await scene.signUp()
    _ = await scene.post(
      "/v1/accounts:signUp", #"{"email":"ada@example.com","password":"correct horse","tenantId":"north"}"#)
    for tenant in ["", #","tenantId":"north""#] {
      let mail = #"{"requestType":"PASSWORD_RESET","email":"ada@example.com"\#(tenant)}"#
      #expect(await scene.post("/v1/accounts:sendOobCode", mail).status == 200)
    }
    func codes(_ place: String) async -> [JSONValue] {
      await scene.get("/emulator/v1/projects/local\(place)/oobCodes").json["oobCodes"]?.array ?? []
    }
    let own = await codes("")
    #expect(own.count == 1)
    #expect(await codes("/tenants/north").count == 1)
    let code = try #require(own.first?["oobCode"]?.string)
    #expect(
      await scene.post("/v1/accounts:resetPassword", #"{"oobCode":"\#(code)","newPassword":"another horse"}"#).status
        == 200)
    #expect(await codes("").isEmpty)
    #expect(await codes("/tenants/north").count == 1)

    _ = await scene.post("/v1/accounts:sendVerificationCode", ##"{"phoneNumber":"+491701234567"}"##)
    let texts = await scene.get("/emulator/v1/projects/local/verificationCodes").json["verificationCodes"]?.array
    #expect(texts?.count == 1)
    #expect(
      await scene.get("/emulator/v1/projects/local/tenants/north/verificationCodes").json["verificationCodes"]?.array
        == [])
    let session = texts?.first?["sessionInfo"]?.string ?? "", digits = texts?.first?["code"]?.string ?? ""
    let body = #"{"sessionInfo":"\#(session)","code":"\#(digits)"}"#
    #expect(await scene.post("/v1/accounts:signInWithPhoneNumber", body).status == 200)
    #expect(await scene.get("/emulator/v1/projects/local/verificationCodes").json["verificationCodes"]?.array == [])
  }

  private func base64URL(_ text: String) -> [UInt8]? {
    var text = text.replacing("-", with: "+").replacing("_", with: "/")
    while text.count % 4 != 0 { text += "=" }
    return Data(base64Encoded: text).map { [UInt8]($0) }
  }
}

/// An emulator that makes projects in a folder of its own.
private struct Scene: Sendable {
  let server: ServerScene
  /// The projects that were made, in order.
  let made: Lock<[String]>
  let fails: Lock<Bool>

  static func with(_ body: (Scene) async throws -> Void) async throws {
    let folder = "/dev/shm/gatehouse-projects-" + SystemRandomSource().identifier()
    defer { ServerScene.remove(folder) }
    let made = Lock<[String]>([]), fails = Lock(false)
    let server = ServerScene(
      isEmulator: true,
      options: { options in
        options.emulatorProjects = { name, begins in
          guard begins || FileManager.default.fileExists(atPath: "\(folder)/\(name)") else { return nil }
          if fails.withLock({ $0 }) { throw AuthError(.providerUnavailable, "the disk is full") }
          made.withLock { $0.append(name) }
          var settings = LocalOptions()
          settings.signing = .es256
          settings.projectID = name
          settings.actAsEmulator()
          let outbox = settings.keepMessages()
          return EmulatorProject(
            provider: LocalBackend(directory: "\(folder)/\(name)", options: settings), outbox: outbox)
        }
      })
    try await body(Scene(server: server, made: made, fails: fails))
    await server.server.closeProjects()
  }

  func signUp(_ email: String, in project: String) async -> Reply {
    let body = #"{"email":"\#(email)","password":"correct horse"}"#
    return await server.post("/v1/projects/\(project)/accounts", body, headers: ["Authorization": "Bearer owner"])
  }

  func signIn(_ email: String, in project: String) async -> Reply {
    let body = #"{"email":"\#(email)","password":"correct horse","targetProjectId":"\#(project)"}"#
    return await server.post(
      "/v1/accounts:signInWithPassword", body, headers: ["Authorization": "Bearer owner"])
  }

  func addresses(in project: String) async -> [String] {
    let page = await server.get(
      "/v1/projects/\(project)/accounts:batchGet?maxResults=-1", headers: ["Authorization": "Bearer owner"])
    return (page.json["users"]?.array ?? []).compactMap { $0["email"]?.string }.sorted()
  }

  func codes(in project: String) async -> [JSONValue] {
    await server.get("/emulator/v1/projects/\(project)/oobCodes").json["oobCodes"]?.array ?? []
  }
}
