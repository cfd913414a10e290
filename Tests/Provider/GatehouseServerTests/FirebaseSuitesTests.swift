import GatehouseBase
import GatehouseServer
import GatehouseTesting
import Testing

/// What Firebase's own integration tests have found wrong here: see Docs/interop.md.
struct FirebaseSuitesTests {
  private let scene = ServerScene(isEmulator: true)
  private var accounts: String { "/v1/projects/\(scene.provider.audience)/accounts" }

  @Test func `the answer to a change has the account's new state`() async throws {
    let user = await scene.signUp()
    let reply = await update(#""idToken":"\#(user.idToken)","displayName":"Ada""#)
    #expect(reply.json["emailVerified"]?.bool == false)
    #expect(reply.json["providerUserInfo"]?.array?.map { $0["providerId"]?.string } == ["password"])
    #expect(reply.json["providerUserInfo"]?.array?.first?["displayName"]?.string == "Ada")
  }

  @Test func `the answer to an unlinking has the ways to sign in that are left`() async throws {
    func signIn(_ provider: String, _ members: String) async -> Reply {
      let body = "providerId=\(provider)&id_token=%7B%22sub%22%3A%22\(provider)%22%7D"
      return await scene.post(
        "/v1/accounts:signInWithIdp", #"{"postBody":"\#(body)","requestUri":"http://localhost"\#(members)}"#)
    }
    let first = await signIn("google.com", "")
    let linked = await signIn("facebook.com", #","idToken":"\#(first.idToken)""#)
    let reply = await update(#""idToken":"\#(linked.idToken)","deleteProvider":["google.com"]"#)
    #expect(reply.json["providerUserInfo"]?.array?.map { $0["providerId"]?.string } == ["facebook.com"])
  }

  @Test func `the code of a message answers that the address is verified`() async throws {
    let user = await scene.signUp()
    _ = await scene.post(
      "/v1/accounts:sendOobCode", #"{"requestType":"VERIFY_EMAIL","idToken":"\#(user.idToken)"}"#)
    let codes = await scene.get("/emulator/v1/projects/local/oobCodes")
    let code = try #require(codes.json["oobCodes"]?.array?.first?["oobCode"]?.string)
    let reply = await update(#""oobCode":"\#(code)""#)
    #expect(reply.json["emailVerified"]?.bool == true)
  }

  @Test func `an anonymous user gets an address first and a password then, in an emulator alone`() async throws {
    let guest = await scene.post("/v1/accounts:signUp", "{}")
    let named = await update(#""idToken":"\#(guest.idToken)","email":"ada@example.com","returnSecureToken":true"#)
    #expect(named.status == 200)
    let done = await update(#""idToken":"\#(named.idToken)","password":"correct horse","returnSecureToken":true"#)
    #expect(done.status == 200)
    let again = await scene.post(
      "/v1/accounts:signInWithPassword", #"{"email":"ada@example.com","password":"correct horse"}"#)
    #expect(again["localId"] == guest["localId"])

    let other = ServerScene { $0.enumerationProtection = false }
    let stranger = await other.post("/v1/accounts:signUp", "{}")
    let refused = await other.post(
      "/v1/accounts:update", #"{"idToken":"\#(stranger.idToken)","email":"ada@example.com"}"#)
    #expect(refused.message?.hasPrefix("MISSING_PASSWORD : ") == true)
  }

  @Test func `a password that an administrator gives without an address is good once there is one`() async throws {
    let made = await owner("POST", accounts, #"{"localId":"ada","password":"correct horse"}"#)
    #expect(made.status == 200)
    let listed = await owner("GET", "\(accounts):batchGet", "")
    #expect(listed.json["users"]?.array?.first?["passwordHash"]?.string?.isEmpty == false)
    #expect(listed.json["users"]?.array?.first?["providerUserInfo"]?.array?.first?["rawId"]?.string == "ada")
    _ = await owner("POST", "\(accounts):update", #"{"localId":"ada","email":"ada@example.com"}"#)
    let reply = await scene.post(
      "/v1/accounts:signInWithPassword", #"{"email":"ada@example.com","password":"correct horse"}"#)
    #expect(reply["localId"] == "ada")
  }

  @Test func `claims that were taken away are an empty object, and those that never were are missing`() async throws {
    func claims() async -> String? {
      let found = await owner("POST", "\(accounts):lookup", #"{"localId":["ada"]}"#)
      return found.json["users"]?.array?.first?["customAttributes"]?.string
    }
    _ = await owner("POST", accounts, #"{"localId":"ada"}"#)
    #expect(await claims() == nil)
    _ = await owner("POST", "\(accounts):update", #"{"localId":"ada","customAttributes":"{\"admin\":true}"}"#)
    #expect(await claims() == #"{"admin":true}"#)
    _ = await owner("POST", "\(accounts):update", #"{"localId":"ada","customAttributes":"{}"}"#)
    #expect(await claims() == "{}")
  }

  @Test(arguments: [false, true])
  func `the last refresh is told`(rotates: Bool) async throws {
    let scene = ServerScene(isEmulator: true) { $0.rotatesRefreshTokens = rotates }
    func owner(_ method: String, _ path: String, _ json: String) async -> Reply {
      await scene.send(
        ServerRequest(method, path, headers: ["Authorization": "Bearer owner"], body: Array(json.utf8)))
    }
    func last() async -> String? {
      let found = await owner("POST", "\(accounts):lookup", #"{"localId":["ada"]}"#)
      return found.json["users"]?.array?.first?["lastRefreshAt"]?.string
    }
    _ = await owner("POST", accounts, #"{"localId":"ada","email":"ada@example.com","password":"correct horse"}"#)
    #expect(await last() == nil)
    let user = await scene.post(
      "/v1/accounts:signInWithPassword", #"{"email":"ada@example.com","password":"correct horse"}"#)
    var token = try #require(user["refreshToken"])
    func refresh() async -> Int {
      let reply = await scene.post("/v1/token", #"{"grant_type":"refresh_token","refresh_token":"\#(token)"}"#)
      token = reply["refresh_token"] ?? ""
      return reply.status
    }
    let first = try #require(await last())
    #expect(first == "2027-01-15T08:00:00Z")
    scene.clock.advance(by: 61)
    #expect(await refresh() == 200)
    #expect(await last() == "2027-01-15T08:01:01Z")
    scene.clock.advance(by: 3600)
    #expect(await refresh() == 200)
    #expect(await last() == "2027-01-15T09:01:01Z")
  }

  @Test func `a link domain that is refused is named, with the setting that allows it`() async throws {
    let scene = ServerScene { _ = $0.keepMessages() }
    _ = await scene.signUp()
    let reply = await scene.post(
      "/v1/accounts:sendOobCode",
      #"{"requestType":"PASSWORD_RESET","email":"ada@example.com","linkDomain":"cool.link"}"#)
    #expect(
      reply.message == "INVALID_HOSTING_LINK_DOMAIN : cool.link is not in linkDomains of provider.json, or "
        + "LocalOptions.linkDomains")
  }

  @Test func `what is false is left out where Google leaves it out`() async throws {
    let path = "/v2/projects/\(scene.provider.audience)/oauthIdpConfigs?oauthIdpConfigId=oidc.a"
    let made = await owner(
      "POST", path,
      #"{"clientId":"c","issuer":"https://i.example","responseType":{"idToken":false,"code":true},"enabled":false}"#)
    #expect(made.json["responseType"] == ["code": true])
    #expect(made.json["enabled"]?.bool == false)
  }

  private func update(_ members: String) async -> Reply { await scene.post("/v1/accounts:update", "{\(members)}") }

  private func owner(_ method: String, _ path: String, _ json: String) async -> Reply {
    await scene.send(
      ServerRequest(method, path, headers: ["Authorization": "Bearer owner"], body: Array(json.utf8)))
  }
}
