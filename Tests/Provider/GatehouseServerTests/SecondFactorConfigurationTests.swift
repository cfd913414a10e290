import GatehouseBase
import GatehouseServer
import Testing

/// The second factors that may be enrolled, as an administrator configures them for the project and for a tenant.
struct SecondFactorConfigurationTests {
  private let scene = ServerScene(isEmulator: true)
  private let project = "/v2/projects/local"

  // MARK: The project

  @Test func `the project's configuration decides which factors are enrolled`() async throws {
    let user = try await verifiedUser()
    let phone = #"{"state":"ENABLED","enabledProviders":["PHONE_SMS"]}"#
    let app = #"{"state":"ENABLED","providerConfigs":[{"state":"ENABLED","totpProviderConfig":{}}]}"#
    let offApp = #"{"state":"ENABLED","providerConfigs":[{"state":"DISABLED","totpProviderConfig":{}}]}"#
    let off = #"{"state":"DISABLED","enabledProviders":["PHONE_SMS"]}"#
    #expect(await canBegin(user) == [true, true], "nothing is configured")
    let cases: [(String, [Bool])] = [
      (phone, [true, false]), (app, [false, true]), (offApp, [false, false]), (off, [false, false]),
      (#"{"state":"ENABLED"}"#, [false, false]), ("{}", [true, true]),
      (#"{"state":"STATE_UNSPECIFIED"}"#, [true, true]),
    ]
    for (configuration, expected) in cases {
      #expect(await owner("PATCH", "\(project)/config?updateMask=mfa", #"{"mfa":\#(configuration)}"#).status == 200)
      #expect(await canBegin(user) == expected, "\(configuration)")
    }
    let refused = await owner("PATCH", "\(project)/config", #"{"mfa":{"state":"DISABLED"}}"#)
    #expect(refused.status == 200)
    #expect(await beginPhone(user).message == "OPERATION_NOT_ALLOWED : SMS based MFA not enabled.")
    #expect(await beginApp(user).message == "OPERATION_NOT_ALLOWED : TOTP based MFA not enabled.")
  }

  @Test func `an enrolment that has begun does not end where factors were switched off meanwhile`() async throws {
    let user = try await verifiedUser()
    let app = await beginApp(user)
    let session = try #require(app.json["totpSessionInfo"]?["sessionInfo"]?.string)
    let proof = try await phoneProof(await beginPhone(user), "phoneSessionInfo")
    _ = await owner("PATCH", "\(project)/config", #"{"mfa":{"state":"DISABLED"}}"#)
    let byApp = await scene.post(
      "/v2/accounts/mfaEnrollment:finalize",
      #"{"idToken":"\#(user)","totpVerificationInfo":{"sessionInfo":"\#(session)","verificationCode":"000000"}}"#)
    #expect(byApp.message == "OPERATION_NOT_ALLOWED : TOTP based MFA not enabled.")
    #expect(await finalize(user, proof).message == "OPERATION_NOT_ALLOWED : SMS based MFA not enabled.")
    _ = await owner(
      "PATCH", "\(project)/config", #"{"mfa":{"state":"ENABLED","enabledProviders":["PHONE_SMS"]}}"#)
    #expect(await finalize(user, proof).status == 200)
  }

  /// Disabling factors must not remove the protection of an account.
  @Test func `a user who has a second factor signs in with it, though factors are switched off`() async throws {
    let user = try await verifiedUser()
    #expect(await finalize(user, try await phoneProof(await beginPhone(user), "phoneSessionInfo")).status == 200)
    _ = await owner("PATCH", "\(project)/config", #"{"mfa":{"state":"DISABLED"}}"#)
    let waiting = await scene.post(
      "/v1/accounts:signInWithPassword", #"{"email":"ada@example.com","password":"correct horse"}"#)
    let pending = try #require(waiting["mfaPendingCredential"])
    #expect(waiting.json["idToken"] == nil)
    let factor = try #require(waiting.json["mfaInfo"]?.array?.first?["mfaEnrollmentId"]?.string)
    let begun = await scene.post(
      "/v2/accounts/mfaSignIn:start",
      #"{"mfaPendingCredential":"\#(pending)","mfaEnrollmentId":"\#(factor)","phoneSignInInfo":{}}"#)
    let proof = try await phoneProof(begun, "phoneResponseInfo")
    let signedIn = await scene.post(
      "/v2/accounts/mfaSignIn:finalize",
      #"{"mfaPendingCredential":"\#(pending)","phoneVerificationInfo":\#(proof)}"#)
    #expect(signedIn.status == 200 && !signedIn.idToken.isEmpty)
  }

  // MARK: A tenant

  @Test func `a tenant's configuration stands in for the project's, for its own users`() async throws {
    let made = await owner(
      "POST", "\(project)/tenants", #"{"displayName":"shop","allowPasswordSignup":true}"#)
    let name = try #require(made.resourceID)
    let user = try await verifiedUser(of: name)
    let other = try await verifiedUser()
    let path = "\(project)/tenants/\(name)?updateMask=mfaConfig"
    #expect(await canBegin(user) == [true, true], "neither says anything")
    _ = await owner("PATCH", "\(project)/config", #"{"mfa":{"state":"DISABLED"}}"#)
    #expect(await canBegin(user) == [false, false], "the project's")
    let own = #"{"mfaConfig":{"state":"ENABLED","enabledProviders":["PHONE_SMS"]}}"#
    #expect(await owner("PATCH", path, own).status == 200)
    #expect(await canBegin(user) == [true, false], "its own")
    #expect(await canBegin(other) == [false, false])
    _ = await owner("PATCH", "\(project)/config", #"{"mfa":{}}"#)
    _ = await owner("PATCH", path, #"{"mfaConfig":{"state":"DISABLED"}}"#)
    #expect(await canBegin(user) == [false, false], "its own")
    #expect(await canBegin(other) == [true, true])
  }

  @Test(arguments: [
    #"{"state":"MANDATORY"}"#, #"{"state":"ON"}"#, #"{"state":7}"#, #""ENABLED""#,
    #"{"state":"ENABLED","providerConfigs":[{"state":"MANDATORY","totpProviderConfig":{}}]}"#,
  ])
  func `what the provider cannot do is refused, and changes nothing`(configuration: String) async throws {
    let made = await owner("POST", "\(project)/tenants", #"{"displayName":"shop"}"#)
    let name = try #require(made.resourceID)
    let requests: [(String, String, String)] = [
      ("PATCH", "\(project)/config", "mfa"), ("PATCH", "\(project)/tenants/\(name)", "mfaConfig"),
      ("POST", "\(project)/tenants", "mfaConfig"),
    ]
    for (method, path, member) in requests {
      let reply = await owner(method, path, #"{"\#(member)":\#(configuration)}"#)
      #expect(reply.status == 400 && reply.message?.hasPrefix("INVALID_CONFIG : \(member)") == true, "\(path)")
    }
    #expect(await owner("GET", "\(project)/config", "").json["mfa"] == nil)
    #expect(await owner("GET", "\(project)/tenants", "").json["tenants"]?.array?.count == 1)
    #expect(await owner("GET", "\(project)/tenants/\(name)", "").json["mfaConfig"] == nil)
  }

  // MARK: Requests

  private func owner(_ method: String, _ path: String, _ json: String) async -> Reply {
    await scene.send(
      ServerRequest(method, path, headers: ["Authorization": "Bearer owner"], body: Array(json.utf8)))
  }

  /// The ID token of a user whose address is verified.
  private func verifiedUser(of tenant: String? = nil) async throws -> String {
    let of = tenant.map { #","tenantId":"\#($0)""# } ?? ""
    let user = await scene.post(
      "/v1/accounts:signUp", #"{"email":"ada@example.com","password":"correct horse"\#(of)}"#)
    _ = await scene.post(
      "/v1/accounts:sendOobCode", #"{"requestType":"VERIFY_EMAIL","idToken":"\#(user.idToken)"\#(of)}"#)
    let place = tenant.map { "tenants/\($0)/" } ?? ""
    let codes = await scene.get("/emulator/v1/projects/local/\(place)oobCodes").json["oobCodes"]
    let code = try #require(codes?.array?.last?["oobCode"]?.string)
    #expect(await scene.post("/v1/accounts:update", #"{"oobCode":"\#(code)"\#(of)}"#).status == 200)
    return user.idToken
  }

  /// Whether the user can begin to enroll a phone, and an app.
  private func canBegin(_ user: String) async -> [Bool] {
    [await beginPhone(user).status == 200, await beginApp(user).status == 200]
  }

  private func beginPhone(_ user: String) async -> Reply {
    await scene.post(
      "/v2/accounts/mfaEnrollment:start",
      #"{"idToken":"\#(user)","phoneEnrollmentInfo":{"phoneNumber":"+12025550123"}}"#)
  }

  private func beginApp(_ user: String) async -> Reply {
    await scene.post("/v2/accounts/mfaEnrollment:start", #"{"idToken":"\#(user)","totpEnrollmentInfo":{}}"#)
  }

  @Test func `an administrator's phones are listed in the order in which they were given`() async throws {
    // Their identifiers are random.
    for number in 0..<6 {
      let phones = (0..<4).map { #"{"phoneInfo":"+1650555000\#($0)"}"# }.joined(separator: ",")
      let members = #""localId":"u\#(number)","email":"u\#(number)@x.example","emailVerified":true"#
      let made = await owner("POST", "/v1/projects/local/accounts", "{\(members),\"mfaInfo\":[\(phones)]}")
      #expect(made.status == 200, "\(made.json)")
      let found = await owner("POST", "/v1/projects/local/accounts:lookup", #"{"localId":["u\#(number)"]}"#)
      let listed = found.json["users"]?.array?.first?["mfaInfo"]?.array?.compactMap { $0["phoneInfo"]?.string }
      #expect(listed == (0..<4).map { "+1650555000\($0)" }, "\(found.json)")
    }
  }

  private func phoneProof(_ begun: Reply, _ member: String) async throws -> String {
    let session = try #require(begun.json[member]?["sessionInfo"]?.string)
    let texts = await scene.get("/emulator/v1/projects/local/verificationCodes").json["verificationCodes"]
    let code = try #require(texts?.array?.last?["code"]?.string)
    return #"{"sessionInfo":"\#(session)","code":"\#(code)"}"#
  }

  private func finalize(_ user: String, _ proof: String) async -> Reply {
    await scene.post(
      "/v2/accounts/mfaEnrollment:finalize", #"{"idToken":"\#(user)","phoneVerificationInfo":\#(proof)}"#)
  }
}
