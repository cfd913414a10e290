import GatehouseBase
import GatehouseLocal
import GatehouseServer
import IdentityToolkit
import Testing

/// The project's own configuration over HTTP.
struct ConfigurationRoutesTests {
  private let scene = ServerScene(isEmulator: true)
  private var path: String { "/identitytoolkit.googleapis.com/v2/projects/\(scene.provider.audience)/config" }
  private let emulator = "/emulator/v1/projects/local/config"

  @Test func `only an administrator sees and changes the project's configuration`() async {
    for method in ["GET", "PATCH"] {
      let reply = await scene.send(ServerRequest(method, "\(path)?key=k", body: Array("{}".utf8)))
      #expect(reply.status == 403)
      #expect(await owner(method, "/v2/projects/other/config", "{}").status == 404)
    }
  }

  @Test func `a configuration is kept as it was written, but for what the owner decides`() async throws {
    let first = await owner("GET", path, "")
    #expect(first["name"] == "projects/local/config")
    #expect(first.json["authorizedDomains"]?.array == ["localhost", "127.0.0.1"])
    let mask = "mfa,smsRegionConfig.allowByDefault.disallowedRegions,authorizedDomains"
    let changed = await owner(
      "PATCH", "\(path)?updateMask=\(mask)",
      #"""
      {"mfa":{"state":"ENABLED"},"smsRegionConfig":{"allowByDefault":{"disallowedRegions":["AC"]}},
       "authorizedDomains":["evil.example"],"other":1}
      """#)
    #expect(changed.json["mfa"]?["state"]?.string == "ENABLED")
    #expect(changed.json["smsRegionConfig"]?["allowByDefault"]?["disallowedRegions"]?.array == ["AC"])
    #expect(changed.json["other"] == nil, "the mask does not name it")
    #expect(changed.json["authorizedDomains"]?.array == ["localhost", "127.0.0.1"])
    #expect(await owner("GET", path, "").json == changed.json)
    #expect(try await scene.provider.configuration()["authorizedDomains"] == nil, "it is not stored either")
    let other = await owner(
      "PATCH", "\(path)?updateMask=smsRegionConfig.allowlistOnly.allowedRegions",
      #"{"smsRegionConfig":{"allowlistOnly":{"allowedRegions":["AD"]}}}"#)
    #expect(other.json["smsRegionConfig"] == ["allowlistOnly": ["allowedRegions": ["AD"]]])
  }

  @Test func `e-mail privacy is in force at once, and so is its end`() async throws {
    func word() async -> String? {
      await scene.post("/v1/accounts:signInWithPassword", #"{"email":"no@example.com","password":"wrong1"}"#).message
    }
    #expect(await word() == "EMAIL_NOT_FOUND")
    let on = await owner(
      "PATCH", "\(path)?updateMask=emailPrivacyConfig", #"{"emailPrivacyConfig":{"enableImprovedEmailPrivacy":true}}"#)
    #expect(on.json["emailPrivacyConfig"] == ["enableImprovedEmailPrivacy": true])
    #expect(await word() == "INVALID_LOGIN_CREDENTIALS")
    let off = await scene.send(
      ServerRequest(
        "PATCH", emulator, body: Array(#"{"emailPrivacyConfig":{"enableImprovedEmailPrivacy":false}}"#.utf8)))
    #expect(off.json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool == false)
    #expect(await word() == "EMAIL_NOT_FOUND")
    #expect(await owner("GET", path, "").json["emailPrivacyConfig"]?.object?.isEmpty == true)
  }

  @Test func `a password policy is in force at once, and after the folder is opened again`() async throws {
    let policy = #"""
      {"passwordPolicyConfig":{"passwordPolicyEnforcementState":"ENFORCE","passwordPolicyVersions":[
        {"customStrengthOptions":{"minPasswordLength":8,"maxPasswordLength":30,"containsNumericCharacter":true}}]}}
      """#
    #expect(await owner("PATCH", path, policy).status == 200)
    #expect(await scene.signUp("ada@example.com", "horse12").message?.hasPrefix("WEAK_PASSWORD") == true)
    let refused = await scene.signUp("ada@example.com", "correct horse").message
    #expect(refused?.hasPrefix("PASSWORD_DOES_NOT_MEET_REQUIREMENTS") == true)
    #expect(await scene.signUp("ada@example.com", "correct horse 1").status == 200)
    let told = await scene.get("/v2/passwordPolicy?key=k").json["customStrengthOptions"]
    #expect(told?["minPasswordLength"]?.integer == 8 && told?["containsNumericCharacter"]?.bool == true)

    try await scene.provider.close()
    let again = scene.reopened()
    let signUp = ServerRequest(
      "POST", "/v1/accounts:signUp?key=k", body: Array(#"{"email":"b@x.example","password":"horse12"}"#.utf8))
    #expect(await Reply(again.answer(signUp)).message?.hasPrefix("WEAK_PASSWORD") == true)
    let off = #"""
      {"passwordPolicyConfig":{"passwordPolicyEnforcementState":"OFF","passwordPolicyVersions":[
        {"customStrengthOptions":{"minPasswordLength":8}}]}}
      """#
    let ended = await again.answer(
      ServerRequest("PATCH", path, headers: ["Authorization": "Bearer owner"], body: Array(off.utf8)))
    #expect(ended.status == 200)
    #expect(await again.answer(signUp).status == 200)
  }

  @Test func `each kind of letter that a policy asks for is asked for`() async {
    for (name, lacking, having) in [
      ("containsLowercaseCharacter", "HORSE 1", "HORSe 1"), ("containsUppercaseCharacter", "horse 1", "Horse 1"),
      ("containsNumericCharacter", "Horse a", "Horse 1"), ("containsNonAlphanumericCharacter", "Horse11", "Horse1!"),
    ] {
      #expect(await owner("PATCH", path, Self.policy(#"{"\#(name)":true}"#)).status == 200)
      let refused = await scene.signUp("\(name)@example.com", lacking).message
      #expect(refused?.hasPrefix("PASSWORD_DOES_NOT_MEET_REQUIREMENTS") == true, "\(name)")
      #expect(await scene.signUp("\(name)@example.com", having).status == 200, "\(name)")
    }
  }

  @Test func `a tenant's password policy is in force for its users, and for no others`() async throws {
    let tenants = "/v2/projects/local/tenants"
    let rules = #"{"minPasswordLength":8,"containsNumericCharacter":true}"#
    let document = #"{"allowPasswordSignup":true,\#(Self.policy(rules).dropFirst())"#
    let made = await owner("POST", tenants, document)
    let tenant = try #require(made.resourceID, "\(made.json)")
    let told = await scene.get("/v2/passwordPolicy?key=k&tenantId=\(tenant)").json["customStrengthOptions"]
    #expect(told?["minPasswordLength"]?.integer == 8 && told?["containsNumericCharacter"]?.bool == true)
    let others = await scene.get("/v2/passwordPolicy?key=k").json["customStrengthOptions"]
    #expect(others?["minPasswordLength"]?.integer == 6)
    func signUp(_ password: String) async -> Reply {
      let members = #""email":"\#(password.count)@example.com","password":"\#(password)","tenantId":"\#(tenant)""#
      return await scene.post("/v1/accounts:signUp", "{\(members)}")
    }
    #expect(await signUp("horse1").message?.hasPrefix("WEAK_PASSWORD") == true)
    #expect(await signUp("correct horse").message?.hasPrefix("PASSWORD_DOES_NOT_MEET_REQUIREMENTS") == true)
    let user = await signUp("correct horse 1")
    #expect(user.status == 200 && user["localId"] != nil, "\(user.json)")
    #expect(await scene.signUp("ada@example.com", "horse1").status == 200, "the project asks for less")

    let change = #"{"idToken":"\#(user.idToken)","password":"horse1"}"#
    #expect(await scene.post("/v1/accounts:update", change).message?.hasPrefix("WEAK_PASSWORD") == true)
    let admin = "/v1/projects/local/tenants/\(tenant)/accounts"
    #expect(await owner("POST", admin, #"{"password":"horse1","email":"b@x.example"}"#).status == 400)
    let edit = #"{"localId":"\#(user["localId"] ?? "")","password":"horse1"}"#
    #expect(await owner("POST", "\(admin):update", edit).status == 400)
    let guest = await scene.post("/v1/accounts:signUp", #"{"tenantId":"\#(tenant)"}"#)
    #expect(guest.status == 400, "the tenant allows no anonymous users")
    let outside = await owner("PATCH", "\(tenants)/\(tenant)", Self.policy(#"{"minPasswordLength":5}"#))
    #expect(outside.message?.hasPrefix("INVALID_CONFIG : ") == true)
  }

  @Test func `a tenant's password policy is in force for links and resets`() async throws {
    let rules = Self.policy(#"{"minPasswordLength":8}"#).dropFirst()
    let document = #"{"allowPasswordSignup":true,"enableAnonymousUser":true,\#(rules)"#
    let made = await owner("POST", "/v2/projects/local/tenants", document)
    let tenant = try #require(made.resourceID, "\(made.json)")
    let guest = await scene.post("/v1/accounts:signUp", #"{"tenantId":"\#(tenant)"}"#)
    func link(_ password: String) async -> Reply {
      let members = #""idToken":"\#(guest.idToken)","email":"a@x.example","password":"\#(password)""#
      return await scene.post("/v1/accounts:signUp", "{\(members)}")
    }
    #expect(await link("horse1").message?.hasPrefix("WEAK_PASSWORD") == true)
    #expect(await link("correct horse").status == 200)
    let members = #""requestType":"PASSWORD_RESET","email":"a@x.example","returnOobLink":true"#
    let sent = await owner("POST", "/v1/projects/local/tenants/\(tenant)/accounts:sendOobCode", "{\(members)}")
    let code = try #require(sent["oobCode"], "\(sent.json)")
    func reset(_ password: String) async -> Reply {
      let members = #""oobCode":"\#(code)","newPassword":"\#(password)","tenantId":"\#(tenant)""#
      return await scene.post("/v1/accounts:resetPassword", "{\(members)}")
    }
    #expect(await reset("horse1").message?.hasPrefix("WEAK_PASSWORD") == true)
    #expect(await reset("another horse").status == 200)
  }

  private static func policy(_ rules: String) -> String {
    #"{"passwordPolicyConfig":{"passwordPolicyEnforcementState":"ENFORCE","passwordPolicyVersions":["#
      + #"{"customStrengthOptions":\#(rules)}]}}"#
  }

  @Test(arguments: [
    #"{"signIn":{"allowDuplicateEmails":true}}"#, policy(#"{"minPasswordLength":5}"#),
    policy(#"{"minPasswordLength":"x"}"#), policy(#"{"minPasswordLength":8,"maxPasswordLength":7}"#),
  ])
  func `what cannot be in force is refused, and changes nothing`(body: String) async throws {
    let before = await owner("GET", path, "")
    let reply = await owner("PATCH", path, body)
    #expect(reply.status == 400 && reply.message?.hasPrefix("INVALID_CONFIG : ") == true)
    #expect(await scene.send(ServerRequest("PATCH", emulator, body: Array(body.utf8))).status == 400)
    #expect(await owner("GET", path, "").json == before.json)
  }

  @Test func `a mask names a hundred members at most, and the document's own name is none`() async throws {
    let most = (1...100).map { "other.m\($0)" }.joined(separator: ",")
    for (mask, status) in [(most, 200), (most + ",one.more", 400), ("a.b.c.d.e.f.g.h.i", 400), ("a..b", 400)] {
      #expect(await owner("PATCH", "\(path)?updateMask=\(mask)", "{}").status == status)
    }
    let named = await owner("PATCH", "\(path)?updateMask=name,mfa", #"{"name":"projects/evil/config","mfa":{}}"#)
    #expect(named["name"] == "projects/local/config")
    #expect(try await scene.provider.configuration()["name"]?.string == "projects/local/config")
  }

  private func owner(_ method: String, _ path: String, _ json: String) async -> Reply {
    await scene.send(
      ServerRequest(method, path, headers: ["Authorization": "Bearer owner"], body: Array(json.utf8)))
  }
}
