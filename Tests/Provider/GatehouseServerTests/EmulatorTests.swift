import GatehouseBase
import GatehouseHTTP
import GatehouseServer
import Testing

struct EmulatorTests {
  private let unsigned = ["eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJ1aWQiOiJhZGEifQ.", #"{\"uid\":\"ada\"}"#]

  @Test func `an unsigned custom token is taken by an emulator`() async {
    let scene = ServerScene(isEmulator: true)
    for token in unsigned {
      let reply = await scene.post("/v1/accounts:signInWithCustomToken", #"{"token":"\#(token)"}"#)
      #expect(reply.status == 200)
      let found = await scene.post("/v1/accounts:lookup", #"{"idToken":"\#(reply.idToken)"}"#)
      #expect(found.json["users"]?.array?.first?["localId"]?.string == "ada")
    }
    let nonsense = await scene.post("/v1/accounts:signInWithCustomToken", #"{"token":"a.b.c"}"#)
    #expect(nonsense.message?.hasPrefix("INVALID_CUSTOM_TOKEN") == true)
  }

  @Test func `an unsigned custom token is taken by no other server`() async {
    let scene = ServerScene()
    for token in unsigned {
      let reply = await scene.post("/v1/accounts:signInWithCustomToken", #"{"token":"\#(token)"}"#)
      #expect(reply.status == 400)
      #expect(reply.message?.hasPrefix("INVALID_CUSTOM_TOKEN") == true)
    }
  }

  @Test func `a credential of an identity provider is taken at its word by an emulator alone`() async {
    let body = #"""
      {"postBody":"providerId=google.com&id_token=%7B%22sub%22%3A%221%22%7D","requestUri":"http://localhost"}
      """#
    let taken = await ServerScene(isEmulator: true).post("/v1/accounts:signInWithIdp", body)
    #expect(taken.status == 200)
    #expect(taken["providerId"] == "google.com")
    #expect(await ServerScene().post("/v1/accounts:signInWithIdp", body).status == 400)
  }

  @Test func `an owner is a client without a key, in an emulator alone`() async {
    for (isEmulator, status) in [(true, 200), (false, 401)] {
      let scene = ServerScene(isEmulator: isEmulator)
      for header in ["Bearer owner", "bearer Owner"] {
        let request = ServerRequest("POST", "/v1/accounts:signUp", headers: ["Authorization": header])
        #expect(await scene.send(request).status == status)
      }
    }
  }

  @Test(arguments: ["Bearer", "Bearer other", "Basic owner", "owner", "Bearer owner x", ""])
  func `another credential is refused, though there is a key`(header: String) async {
    let scene = ServerScene(isEmulator: true)
    let reply = await scene.post("/v1/accounts:signUp", "{}", headers: ["Authorization": header])
    #expect(reply.status == 401)
    #expect(reply.json["error"]?["status"]?.string == "UNAUTHENTICATED")
  }

  @Test(arguments: ["links.example.com", "localhost", ""])
  func `an emulator takes any link domain, and its link leads to the emulator`(domain: String) async throws {
    let scene = ServerScene(isEmulator: true)
    _ = await scene.signUp()
    let wish = #"{"requestType":"PASSWORD_RESET","email":"ada@example.com","linkDomain":"\#(domain)""#
    let sent = await scene.post("/v1/accounts:sendOobCode", wish + "}")
    #expect(sent.status == 200, "\(sent.json)")
    let made = await scene.post(
      "/v1/projects/local/accounts:sendOobCode", wish + #","returnOobLink":true}"#,
      headers: ["Authorization": "Bearer owner", "Host": "id.test"])
    #expect(made["oobLink"]?.hasPrefix("http://id.test/emulator/action?mode=resetPassword&") == true, "\(made.json)")
  }

  @Test func `a code is read, and its link does what it is for`() async throws {
    let scene = ServerScene(isEmulator: true)
    _ = await scene.signUp()
    _ = await scene.post(
      "/v1/accounts:sendOobCode", #"{"requestType":"PASSWORD_RESET","email":"ada@example.com"}"#)
    let code = try #require(await scene.get("/emulator/v1/projects/local/oobCodes").json["oobCodes"]?.array?.first)
    #expect(code["email"]?.string == "ada@example.com")
    let link = try #require(code["oobLink"]?.string)
    #expect(link.hasPrefix("http://id.test/emulator/action?mode=resetPassword&oobCode="))
    let path = String(link.dropFirst("http://id.test".count))
    #expect(await scene.get(path).status == 400)
    #expect(await scene.get("\(path)&newPassword=battery-staple").status == 200)
    #expect(await scene.get("\(path)&newPassword=battery-staple").message == "INVALID_OOB_CODE")
    let reply = await scene.post(
      "/v1/accounts:signInWithPassword", #"{"email":"ada@example.com","password":"battery-staple"}"#)
    #expect(reply.status == 200)
  }

  @Test func `a link leads on to the page that it names`() async throws {
    let scene = ServerScene(isEmulator: true)
    _ = await scene.post(
      "/v1/accounts:sendOobCode",
      #"{"requestType":6,"email":"ada@example.com","continueUrl":"http://localhost/app","canHandleCodeInApp":true}"#)
    let code = try #require(await scene.get("/emulator/v1/projects/local/oobCodes").json["oobCodes"]?.array?.first)
    let link = try #require(code["oobLink"]?.string?.dropFirst("http://id.test".count))
    let reply = await scene.get(String(link))
    #expect(reply.status == 303)
    #expect(reply.response.headers["Location"]?.hasPrefix("http://localhost/app?mode=signIn&oobCode=") == true)
  }

  @Test(arguments: [
    ("http://localhost:5000/#/sign-in", "http://localhost:5000/?mode=signIn&oobCode=", "#/sign-in"),
    ("http://localhost/?a=1#/sign-in?b=2", "http://localhost/?a=1&mode=signIn&oobCode=", "#/sign-in?b=2"),
  ])
  func `the code is in the query of the page, before its fragment`(page: String, begin: String, end: String)
    async throws
  {
    let scene = ServerScene(isEmulator: true)
    _ = await scene.post(
      "/v1/accounts:sendOobCode",
      #"{"requestType":6,"email":"ada@example.com","continueUrl":"\#(page)","canHandleCodeInApp":true}"#)
    let code = try #require(await scene.get("/emulator/v1/projects/local/oobCodes").json["oobCodes"]?.array?.first)
    let link = try #require(code["oobLink"]?.string?.dropFirst("http://id.test".count))
    let location = try #require(await scene.get(String(link)).response.headers["Location"])
    #expect(location.hasPrefix(begin) && location.hasSuffix(end), "\(location)")
  }

  /// Test workers with a project each: none may read or clear another one's.
  @Test(arguments: [
    ("GET", "/emulator/v1/projects/another/oobCodes"), ("GET", "/emulator/v1/projects/another/verificationCodes"),
    ("GET", "/emulator/v1/projects/another/config"), ("PATCH", "/emulator/v1/projects/another/config"),
    ("DELETE", "/emulator/v1/projects/another/accounts"),
    ("DELETE", "/emulator/v1/projects/another/tenants/north/accounts"),
  ])
  func `another project's request is refused, and changes nothing`(method: String, path: String) async throws {
    let scene = ServerScene(isEmulator: true)
    let ada = await scene.signUp()
    let reply = await scene.send(ServerRequest(method, path))
    #expect(reply.status == 404 && reply.message?.hasPrefix("PROJECT_NOT_FOUND") == true)
    #expect(await scene.post("/v1/accounts:lookup", #"{"idToken":"\#(ada.idToken)"}"#).status == 200)
  }

  @Test func `an administrator gets all accounts at once`() async throws {
    let scene = ServerScene(isEmulator: true)
    for number in 0..<25 { _ = await scene.signUp("ada\(number)@example.com") }
    let owner: TransportHeaders = ["Authorization": "Bearer owner"]
    let all = await scene.get("/v1/projects/local/accounts:batchGet?maxResults=-1", headers: owner)
    #expect(all.json["users"]?.array?.count == 25 && all["nextPageToken"] == nil)
    for odd in ["-2", "0", "1001", "9223372036854775807"] {
      #expect(await scene.get("/v1/projects/local/accounts:batchGet?maxResults=\(odd)", headers: owner).status == 400)
    }
  }

  @Test func `accounts as Firebase's emulator exports them are imported with their passwords`() async throws {
    let scene = ServerScene(isEmulator: true)
    let seed = #"""
      {"users":[{"localId":"seed-1","email":"seed@example.com","salt":"fakeSalt",
      "passwordHash":"fakeHash:salt=fakeSalt:password=seed:password","providerUserInfo":[{"providerId":"password",
      "email":"seed@example.com","federatedId":"seed@example.com","rawId":"seed@example.com"}]}]}
      """#
    let owner: TransportHeaders = ["Authorization": "Bearer owner"]
    let reply = await scene.post("/v1/projects/local/accounts:batchCreate", seed, headers: owner)
    #expect(reply.status == 200 && reply.json["error"]?.array?.isEmpty != false)
    for (password, status) in [("seed:password", 200), ("another password", 400)] {
      let body = #"{"email":"seed@example.com","password":"\#(password)"}"#
      #expect(await scene.post("/v1/accounts:signInWithPassword", body).status == status)
    }
  }

  @Test func `all accounts are deleted, and a tenant's alone`() async throws {
    let scene = ServerScene(isEmulator: true)
    _ = try await scene.provider.createTenant("north")
    let ada = await scene.signUp()
    let bob = await scene.post("/v1/accounts:signUp", #"{"tenantId":"north"}"#)
    func isThere(_ user: Reply) async -> Bool {
      await scene.post("/v1/accounts:lookup", #"{"idToken":"\#(user.idToken)"}"#).status == 200
    }
    #expect(await isThere(ada))
    #expect(await isThere(bob))
    let tenant = ServerRequest("DELETE", "/emulator/v1/projects/local/tenants/north/accounts")
    #expect(await scene.send(tenant).status == 200)
    #expect(await isThere(ada))
    #expect(await !isThere(bob))
    #expect(await scene.send(ServerRequest("DELETE", "/emulator/v1/projects/local/accounts")).status == 200)
    #expect(await !isThere(ada))
  }

  @Test func `an emulator says that it is one, and another server has nothing at its paths`() async {
    #expect(await ServerScene(isEmulator: true).get("/").json["authEmulator"]?["ready"]?.bool == true)
    for path in [
      "/", "/emulator/v1/projects/local/oobCodes", "/emulator/v1/projects/local/verificationCodes", "/emulator/action",
      "/emulator/v1/projects/local/config",
    ] {
      #expect(await ServerScene().get(path).status == 404)
    }
    let request = ServerRequest("DELETE", "/emulator/v1/projects/local/accounts")
    #expect(await ServerScene().send(request).status == 404)
  }

  @Test(arguments: ["a%2Fb", "a%00", "a%zz", "", "a:b"])
  func `a project's name fills one segment of a path`(name: String) async {
    let request = ServerRequest("DELETE", "/emulator/v1/projects/\(name)/accounts")
    #expect(await ServerScene(isEmulator: true).send(request).status == 404)
  }

  @Test func `an emulator counts no failures`() async {
    let scene = ServerScene(isEmulator: true)
    _ = await scene.signUp()
    for _ in 1...20 {
      let reply = await scene.post(
        "/v1/accounts:signInWithPassword", #"{"email":"ada@example.com","password":"wrong1"}"#)
      #expect(reply.message == "INVALID_PASSWORD")
    }
  }
}
