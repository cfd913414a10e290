import GatehouseBase
import GatehouseHTTP
import GatehouseLocal
import GatehouseServer
import GatehouseTesting
import Testing

/// Clients and tests that were written for Firebase and its emulator find here what they expect.
struct FirebaseMannersTests {
  private let owner: TransportHeaders = ["Authorization": "Bearer owner", "Host": "id.test"]
  private let v3 = "/www.googleapis.com/identitytoolkit/v3/relyingparty/"

  private func user(_ scene: ServerScene, _ idToken: String) async -> JSONValue? {
    await scene.post("/v1/accounts:lookup", #"{"idToken":"\#(idToken)"}"#).json["users"]?.array?.first
  }

  // MARK: The time of a password

  @Test func `a look-up tells when the password was set, as a number`() async {
    let scene = ServerScene()
    let made = await scene.signUp()
    let begin = scene.clock.now().wall * 1000
    #expect(await user(scene, made.idToken)?["passwordUpdatedAt"].map { "\($0)" } == "\(Int64(begin))")
    scene.clock.advance(by: .seconds(10))
    let again = await scene.post(
      "/v1/accounts:signInWithPassword", #"{"email":"ada@example.com","password":"correct horse"}"#)
    #expect(await user(scene, again.idToken)?["passwordUpdatedAt"]?.double == begin)
    let changed = await scene.post(
      "/v1/accounts:update",
      #"{"idToken":"\#(again.idToken)","password":"battery staple","returnSecureToken":true}"#)
    #expect(await user(scene, changed.idToken)?["passwordUpdatedAt"]?.double == begin + 10_000)
    let removed = await scene.post(
      "/v1/accounts:update", #"{"idToken":"\#(changed.idToken)","deleteAttribute":["PASSWORD"]}"#)
    #expect(removed.status == 200)
    let after = await user(scene, changed.idToken)
    #expect(after?["email"] != nil && after?["passwordUpdatedAt"] == nil)
  }

  @Test func `an import keeps the time of a password, and refuses one account whose time is none`() async {
    let scene = ServerScene(isEmulator: true)
    func account(_ name: String, _ time: String) -> String {
      #"{"localId":"\#(name)","email":"\#(name)@a.example","rawPassword":"correct horse","passwordUpdatedAt":\#(time)}"#
    }
    let reply = await scene.post(
      "/v1/projects/local/accounts:batchCreate",
      #"{"users":[\#(account("a", "1700000000000")),\#(account("b", "-1")),\#(account("c", "1e300"))]}"#,
      headers: owner)
    #expect(reply.json["error"]?.array?.compactMap { $0["index"]?.integer } == [1, 2])
    let listed = await scene.get("/v1/projects/local/accounts:batchGet", headers: owner)
    #expect(listed.json["users"]?.array?.map { $0["passwordUpdatedAt"]?.integer } == [1_700_000_000_000])
  }

  // MARK: Removing

  @Test func `an address, a password and identity providers can be removed`() async {
    let scene = ServerScene(isEmulator: true)
    let made = await scene.signUp()
    let google = await scene.post(
      "/v1/accounts:signInWithIdp",
      #"""
      {"idToken":"\#(made.idToken)","requestUri":"http://localhost",
      "postBody":"providerId=google.com&id_token=%7B%22sub%22%3A%221%22%7D"}
      """#)
    let without = await scene.post(
      "/v1/accounts:update", #"{"idToken":"\#(google.idToken)","deleteAttribute":["PROVIDER"]}"#)
    #expect(
      without.json["providerUserInfo"]?.array?.map { $0["providerId"]?.string } == ["password"], "\(without.json)")
    let uid = without["localId"] ?? ""
    for attribute in ["EMAIL", "PASSWORD", "PROVIDER"] {
      let reply = await scene.post(
        "/v1/projects/local/accounts:update", #"{"localId":"\#(uid)","deleteAttribute":["\#(attribute)"]}"#,
        headers: owner)
      #expect(reply.status == 200)
    }
    let found = await scene.post(
      "/v1/projects/local/accounts:lookup", #"{"localId":["\#(uid)"]}"#, headers: owner)
    let user = found.json["users"]?.array?.first
    #expect(user != nil && user?["email"] == nil && user?["providerUserInfo"] == nil, "\(found.json)")
  }

  @Test func `a user removes the address in an emulator alone`() async {
    for isEmulator in [true, false] {
      let scene = ServerScene(isEmulator: isEmulator)
      let made = await scene.signUp()
      let reply = await scene.post(
        "/v1/accounts:update",
        #"{"idToken":"\#(made.idToken)","deleteAttribute":["EMAIL"],"returnSecureToken":true}"#)
      #expect(reply.status == (isEmulator ? 200 : 400))
      let user = await user(scene, isEmulator ? reply.idToken : made.idToken)
      #expect((user?["email"] == nil) == isEmulator && user != nil)
    }
  }

  // MARK: Content types

  @Test(arguments: [
    "email=ada%40example.com&password=correct", #"{"email":"ada@example.com","password":"correct horse"}"#,
  ])
  func `a body that is labelled as a form makes no anonymous account`(body: String) async {
    let scene = ServerScene(isEmulator: true)
    let type: TransportHeaders = ["Content-Type": "application/x-www-form-urlencoded"]
    let reply = await scene.post("/v1/accounts:signUp", body, headers: type)
    #expect(reply.status == 415)
    #expect(reply.message?.contains("Content-Type: application/json") == true)
    let listed = await scene.get("/v1/projects/local/accounts:batchGet", headers: owner)
    #expect(listed.status == 200 && listed.json["users"] == nil)
  }

  // MARK: Administrators at the paths of clients

  @Test(arguments: ["/v1/accounts:signUp", "/www.googleapis.com/identitytoolkit/v3/relyingparty/signupNewUser"])
  func `an administrator's sign-up makes the account as it is given, and signs no user in`(path: String) async {
    let scene = ServerScene(isEmulator: true)
    let reply = await scene.post(
      path,
      #"""
      {"localId":"chosen","email":"ada@example.com","emailVerified":true,"disabled":true,"phoneNumber":"+15555550100",
      "password":"correct horse","returnSecureToken":true}
      """#, headers: owner)
    #expect(reply.status == 200 && reply["localId"] == "chosen" && reply.json["idToken"] == nil, "\(reply.json)")
    let found = await scene.post("\(v3)getAccountInfo", #"{"localId":["chosen"]}"#, headers: owner)
    let user = found.json["users"]?.array?.first
    #expect(user?["emailVerified"]?.bool == true && user?["disabled"]?.bool == true)
    #expect(user?["phoneNumber"]?.string == "+15555550100")
    let refused = await scene.post("/v1/accounts:signUp", #"{"localId":"other"}"#)
    #expect(refused.message?.hasPrefix("UNEXPECTED_PARAMETER") == true, "a client chooses no identifier")
  }

  @Test func `version 3 has the calls of administrators too`() async {
    let scene = ServerScene(isEmulator: true)
    func call(_ name: String, _ body: String) async -> Reply { await scene.post("\(v3)\(name)", body, headers: owner) }
    let made = await call("uploadAccount", #"{"users":[{"localId":"a","email":"ada@example.com"}]}"#)
    #expect(made.status == 200 && made.json["error"] == nil, "\(made.json)")
    #expect(await call("setAccountInfo", #"{"localId":"a","displayName":"Ada"}"#).status == 200)
    let listed = await call("downloadAccount", #"{"maxResults":10}"#)
    #expect(listed.json["users"]?.array?.first?["displayName"]?.string == "Ada")
    let link = await call(
      "getOobConfirmationCode", #"{"requestType":"PASSWORD_RESET","email":"ada@example.com","returnOobLink":true}"#)
    #expect(link["oobLink"] != nil)
    #expect(await call("deleteAccount", #"{"localId":"a"}"#).status == 200)
    #expect(await call("downloadAccount", "{}").json["users"] == nil)
    let client = ServerScene()
    let refused = await client.post("\(v3)downloadAccount", "{}")
    #expect(refused.status == 403, "only administrators")
  }

  @Test func `accounts are counted at the emulator's path as well`() async {
    let scene = ServerScene(isEmulator: true)
    _ = await scene.signUp()
    let reply = await scene.post("/v1/projects/local:queryAccounts", "{}", headers: owner)
    #expect(reply["recordsCount"] == "1", "\(reply.json)")
    #expect(await scene.post("/v1/projects/local:queryAccounts", "{}").status == 403)
  }

  @Test func `a look-up in another tenant than the user's is refused`() async throws {
    let scene = ServerScene()
    for tenant in ["north", "south"] { _ = try await scene.provider.createTenant(tenant) }
    let made = await scene.post(
      "/v1/accounts:signUp", #"{"email":"ada@example.com","password":"correct horse","tenantId":"north"}"#)
    for (tenant, refusal) in [
      (#","tenantId":"north""#, String?.none), ("", nil), (#","tenantId":"south""#, "TENANT_ID_MISMATCH"),
    ] {
      let reply = await scene.post("/v1/accounts:lookup", #"{"idToken":"\#(made.idToken)"\#(tenant)}"#)
      #expect(reply.message == refusal && (reply.status == 200) == (refusal == nil), "\(reply.json)")
    }
  }

  // MARK: Links

  @Test func `an administrator's link leads where messages lead, and is among the codes`() async throws {
    let scene = ServerScene(isEmulator: true)
    _ = await scene.signUp()
    let made = await scene.post(
      "/v1/projects/local/accounts:sendOobCode",
      #"{"requestType":"PASSWORD_RESET","email":"ada@example.com","returnOobLink":true}"#, headers: owner)
    let link = try #require(made["oobLink"])
    #expect(link.hasPrefix("http://id.test/emulator/action?mode=resetPassword&oobCode="))
    let codes = await scene.get("/emulator/v1/projects/local/oobCodes").json["oobCodes"]?.array
    #expect(codes?.map { $0["oobLink"]?.string } == [link])
    let done = await scene.get(String(link.dropFirst("http://id.test".count)) + "&newPassword=battery-staple")
    #expect(done.json["authEmulator"]?["email"]?.string == "ada@example.com", "\(done.json)")
  }

  @Test func `a link leads to any host in an emulator alone`() async {
    for (isEmulator, status) in [(true, 200), (false, 400)] {
      let scene = ServerScene(isEmulator: isEmulator) { $0.delivery = DiscardedMessages() }
      _ = await scene.signUp()
      let reply = await scene.post(
        "/v1/accounts:sendOobCode",
        #"{"requestType":"PASSWORD_RESET","email":"ada@example.com","continueUrl":"https://app.example.com/done"}"#)
      #expect(reply.status == status, "\(reply.json)")
    }
  }

  // MARK: What clients ask first

  @Test func `no captcha is required`() async {
    for path in ["/v2/recaptchaConfig", "/identitytoolkit.googleapis.com/v2/recaptchaConfig"] {
      let reply = await ServerScene().get("\(path)?key=k&clientType=CLIENT_TYPE_WEB&version=RECAPTCHA_ENTERPRISE")
      #expect(reply["recaptchaKey"]?.split(separator: "/").count == 4)
      let states = reply.json["recaptchaEnforcementState"]?.array ?? []
      #expect(states.map { $0["enforcementState"]?.string } == ["OFF", "OFF"])
    }
  }

  @Test func `the sign-in methods of an address come with an identifier of the attempt`() async {
    for isEmulator in [true, false] {
      let scene = ServerScene(isEmulator: isEmulator)
      let body = #""identifier":"ada@example.com","continueUri":"http://localhost""#
      let first = await scene.post("/v1/accounts:createAuthUri", "{\(body)}")
      let second = await scene.post("/v1/accounts:createAuthUri", "{\(body)}")
      #expect(first["sessionId"]?.isEmpty == false && first["sessionId"] != second["sessionId"])
      let given = await scene.post("/v1/accounts:createAuthUri", #"{\#(body),"sessionId":"mine"}"#)
      #expect(given["sessionId"] == "mine")
    }
  }
}

private struct DiscardedMessages: MessageDelivery {
  func deliver(_ message: OutgoingMessage) async throws(AuthError) {}
}
