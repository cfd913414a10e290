import GatehouseBase
import GatehouseLocal
import GatehouseServer
import IdentityToolkit
import Testing

/// The regions whose phones receive texts (`smsRegionConfig`).
struct TextRegionsTests {
  /// A server that is not an emulator, with an administrator.
  private struct Place {
    let scene: ServerScene
    let outbox: EmulatorOutbox
    let bearer: String

    init() async throws {
      var kept: EmulatorOutbox?
      scene = ServerScene {
        kept = $0.keepMessages()
        $0.messageThrottle = .unlimited
      }
      outbox = try #require(kept)
      bearer = try await KeyFile(scene).accessToken(scene)
    }

    func admin(_ method: String, _ path: String, _ json: String) async -> Reply {
      await scene.send(
        ServerRequest(
          method, "/v2/projects/local/\(path)", headers: ["Authorization": "Bearer \(bearer)"], body: Array(json.utf8)))
    }

    /// Whether the number gets a code for a sign-in.
    func texts(_ number: String, tenant: String? = nil) async -> Bool {
      let member = tenant.map { #","tenantId":"\#($0)""# } ?? ""
      let before = outbox.texts.count
      let reply = await scene.post("/v1/accounts:sendVerificationCode", #"{"phoneNumber":"\#(number)"\#(member)}"#)
      let isRefused =
        reply.message
        == "OPERATION_NOT_ALLOWED : SMS unable to be sent until this region enabled by the app developer."
      #expect(reply.status == (isRefused ? 400 : 200), "\(number): \(reply.message ?? "")")
      #expect(outbox.texts.count - before == (isRefused ? 0 : 1), "\(number)")
      return !isRefused
    }
  }

  /// A rule, with numbers that it allows and others.
  struct Rule: Sendable, CustomTestStringConvertible {
    let json: String
    let allowed: [String]
    let refused: [String]
    var testDescription: String { json }
  }

  private static let germany = "+4930123456", unitedStates = "+12025550123", canada = "+14165550123"
  private static let jamaica = "+18765550123", jersey = "+441534123456", britain = "+447400123456"
  /// Numbers of which the prefix tells no single region.
  private static let unknown = [
    "+18005550123", "+15005550006", "+881612345678", "+8821234567", "+9991234567", "+2101234567",
  ]

  static let rules = [
    Rule(json: "{}", allowed: [germany, unitedStates, jamaica] + unknown, refused: []),
    Rule(json: #"{"allowByDefault":{}}"#, allowed: [germany, jamaica] + unknown, refused: []),
    Rule(json: #"{"allowByDefault":{"disallowedRegions":[]}}"#, allowed: [germany, jamaica] + unknown, refused: []),
    Rule(json: #"{"allowlistOnly":{}}"#, allowed: [], refused: [germany, unitedStates] + unknown),
    Rule(json: #"{"allowlistOnly":{"allowedRegions":["DE"]}}"#, allowed: [germany], refused: [britain] + unknown),
    Rule(
      json: #"{"allowlistOnly":{"allowedRegions":["US"]}}"#, allowed: [unitedStates, "+18085550123"],
      refused: [canada, jamaica, "+17875550123", germany] + unknown),
    Rule(json: #"{"allowlistOnly":{"allowedRegions":["CA"]}}"#, allowed: [canada], refused: [unitedStates] + unknown),
    Rule(
      json: #"{"allowlistOnly":{"allowedRegions":["GB"]}}"#, allowed: [britain, "+442071234567"],
      refused: [jersey, "+441481123456", "+441624123456", "+447700123456", "+447911123456"]),
    Rule(
      json: #"{"allowlistOnly":{"allowedRegions":["GB","JE"]}}"#, allowed: [britain, jersey, "+447700123456"],
      refused: ["+447911123456"]),
    Rule(
      json: #"{"allowlistOnly":{"allowedRegions":["RU"]}}"#, allowed: ["+79161234567", "+74951234567"],
      refused: ["+77011234567", "+76001234567", "+71234567890"]),
    Rule(json: #"{"allowlistOnly":{"allowedRegions":["KZ"]}}"#, allowed: ["+77011234567"], refused: ["+79161234567"]),
    Rule(
      json: #"{"allowlistOnly":{"allowedRegions":["AU","NO","IT"]}}"#,
      allowed: ["+61412345678", "+4740612345", "+393123456789"],
      refused: ["+61891641234", "+61891621234", "+4779123456", "+390669812345"]),
    Rule(json: #"{"allowlistOnly":{"allowedRegions":["GP","BL"]}}"#, allowed: [], refused: ["+590690001234"]),
    Rule(
      json: #"{"allowByDefault":{"disallowedRegions":["JM"]}}"#, allowed: [unitedStates, canada, germany],
      refused: [jamaica, "+16585550123"] + unknown),
    Rule(
      json: #"{"allow_by_default":{"disallowed_regions":["SJ","NO"]}}"#, allowed: [germany, "+18005550123"],
      // A number of +1 is of no region that is refused.
      refused: ["+4740612345", "+4779123456"] + unknown.filter { !$0.hasPrefix("+1") }),
  ]

  @Test(arguments: rules)
  func `a number gets a text if each region that it can be of is allowed`(rule: Rule) async throws {
    let place = try await Place()
    let set = await place.admin("PATCH", "config", #"{"smsRegionConfig":\#(rule.json)}"#)
    #expect(set.status == 200, "\(set.message ?? "")")
    for number in rule.allowed { #expect(await place.texts(number), "\(number)") }
    for number in rule.refused { #expect(await !place.texts(number), "\(number)") }
    // After the rule is gone, everyone gets a text again.
    #expect(await place.admin("PATCH", "config?updateMask=smsRegionConfig", "{}").status == 200)
    for number in rule.refused { #expect(await place.texts(number), "\(number)") }
  }

  @Test(arguments: [
    #"{"allowlistOnly":{"allowedRegions":["UK"]}}"#, #"{"allowlistOnly":{"allowedRegions":["us"]}}"#,
    #"{"allowlistOnly":{"allowedRegions":["USA"]}}"#, #"{"allowlistOnly":{"allowedRegions":"US"}}"#,
    #"{"allowlistOnly":{"allowedRegions":[1]}}"#, #"{"allowlistOnly":["US"]}"#, #"{"allowByDefault":true}"#,
    #"{"allowByDefault":{},"allowlistOnly":{}}"#, #"{"allowByDefault":{"disallowedRegions":["SJ"]}}"#,
    #"{"allowlistOnly":{"regions":["US"]}}"#, #"{"allowOnly":{}}"#, #"["US"]"#,
    #"{"allowlistOnly":{"AllowedRegions":[]}}"#,
  ])
  func `a rule that cannot be in force is refused, and changes nothing`(json: String) async throws {
    let place = try await Place()
    let rule = #"{"smsRegionConfig":{"allowlistOnly":{"allowedRegions":["DE"]}}}"#
    #expect(await place.admin("PATCH", "config", rule).status == 200)
    let reply = await place.admin("PATCH", "config", #"{"smsRegionConfig":\#(json)}"#)
    #expect(reply.status == 400 && reply.message?.hasPrefix("INVALID_CONFIG : ") == true, "\(reply.message ?? "")")
    #expect(await place.admin("POST", "tenants", #"{"smsRegionConfig":\#(json)}"#).status == 400)
    #expect(await place.texts(Self.germany))
    #expect(await !place.texts(Self.unitedStates))
  }

  @Test func `a rule holds after the folder is opened again, and a tenant's own rule replaces it`() async throws {
    let place = try await Place()
    let rule = #"{"smsRegionConfig":{"allowlistOnly":{"allowedRegions":["DE"]}}}"#
    #expect(await place.admin("PATCH", "config", rule).status == 200)
    let tenant = try #require(await place.admin("POST", "tenants", #"{"allowPasswordSignup":true}"#).resourceID)
    #expect(await place.texts(Self.germany, tenant: tenant))
    #expect(await !place.texts(Self.unitedStates, tenant: tenant))
    let own = #"{"smsRegionConfig":{"allowlistOnly":{"allowedRegions":["US"]}}}"#
    #expect(await place.admin("PATCH", "tenants/\(tenant)", own).status == 200)
    #expect(await !place.texts(Self.germany, tenant: tenant))
    #expect(await place.texts(Self.unitedStates, tenant: tenant))
    #expect(await place.texts(Self.germany))

    try await place.scene.provider.close()
    let again = place.scene.reopened()
    for (number, status) in [(Self.germany, 200), (Self.unitedStates, 400)] {
      let body = Array(#"{"phoneNumber":"\#(number)"}"#.utf8)
      let reply = await again.answer(ServerRequest("POST", "/v1/accounts:sendVerificationCode?key=k", body: body))
      #expect(reply.status == status, "\(number)")
    }
  }

  @Test func `a rule holds for the codes of second factors`() async throws {
    let place = try await Place(), scene = place.scene
    let user = await scene.signUp()
    let uid = try #require(user["localId"])
    var call = UpdateAccount(localId: uid)
    call.emailVerified = true
    _ = try await scene.provider.answer(call)
    func enroll() async -> Reply {
      await scene.post(
        "/v2/accounts/mfaEnrollment:start",
        #"{"idToken":"\#(user.idToken)","phoneEnrollmentInfo":{"phoneNumber":"+12025550123"}}"#)
    }
    let rule = #"{"smsRegionConfig":{"allowlistOnly":{"allowedRegions":["DE"]}}}"#
    func requireRefused(_ reply: Reply) {
      #expect(reply.message?.hasPrefix("OPERATION_NOT_ALLOWED : SMS unable") == true, "\(reply.message ?? "")")
    }
    #expect(await enroll().status == 200)
    #expect(await place.admin("PATCH", "config", rule).status == 200)
    requireRefused(await enroll())
    #expect(await place.admin("PATCH", "config?updateMask=smsRegionConfig", "{}").status == 200)

    let added = await scene.send(
      ServerRequest(
        "POST", "/v1/projects/local/accounts:update", headers: ["Authorization": "Bearer \(place.bearer)"],
        body: Array(#"{"localId":"\#(uid)","mfa":{"enrollments":[{"phoneInfo":"+12025550123"}]}}"#.utf8)))
    #expect(added.status == 200, "\(added.message ?? "")")
    let waiting = await scene.post(
      "/v1/accounts:signInWithPassword", #"{"email":"ada@example.com","password":"correct horse"}"#)
    let pending = try #require(waiting["mfaPendingCredential"])
    let id = try #require(waiting.json["mfaInfo"]?.array?.first?["mfaEnrollmentId"]?.string)
    func start() async -> Reply {
      await scene.post(
        "/v2/accounts/mfaSignIn:start",
        #"{"mfaPendingCredential":"\#(pending)","mfaEnrollmentId":"\#(id)","phoneSignInInfo":{}}"#)
    }
    #expect(await start().status == 200)
    #expect(await place.admin("PATCH", "config", rule).status == 200)
    let texts = place.outbox.texts.count
    requireRefused(await start())
    #expect(place.outbox.texts.count == texts)
  }
}
