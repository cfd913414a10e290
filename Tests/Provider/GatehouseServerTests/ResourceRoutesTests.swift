import GatehouseBase
import GatehouseLocal
import GatehouseServer
import IdentityToolkit
import Testing

/// What administrators configure over HTTP, as firebase-admin does.
struct ResourceRoutesTests {
  private let scene = ServerScene(isEmulator: true)
  private var project: String { "/identitytoolkit.googleapis.com/v2/projects/\(scene.provider.audience)" }
  private let oidc =
    #"{"clientId":"c","issuer":"https://issuer.example.com","enabled":true,"responseType":{"code":true}}"#
  private let saml = #"""
    {"idpConfig":{"idpEntityId":"i","ssoUrl":"https://i/","idpCertificates":[{"x509Certificate":"x"}]},\#
    "spConfig":{"spEntityId":"s"}}
    """#

  @Test(arguments: ["tenants", "oauthIdpConfigs", "inboundSamlConfigs", "tenants/t/oauthIdpConfigs"])
  func `only an administrator configures`(path: String) async {
    for method in ["GET", "POST"] {
      let reply = await scene.send(ServerRequest(method, "\(project)/\(path)?key=k", body: Array("{}".utf8)))
      #expect(reply.status == 403)
    }
    let other = await owner("GET", "/v2/projects/other/\(path)", "")
    #expect(other.status == 404)
  }

  // MARK: Tenants

  @Test func `a tenant is made, found, changed, listed and deleted`() async throws {
    let made = await owner(
      "POST", "\(project)/tenants",
      #"{"displayName":"My Shop","allowPasswordSignup":true,"testPhoneNumbers":{"+12025550123":"123456"}}"#)
    let name = try #require(made["name"])
    let id = String(name.split(separator: "/").last ?? "")
    #expect(name == "projects/\(scene.provider.audience)/tenants/\(id)")
    #expect(id.wholeMatch(of: /myshop-[a-z0-9]{5}/) != nil)
    let found = await owner("GET", "\(project)/tenants/\(id)", "")
    #expect(found.json == made.json)
    #expect(found.json["allowPasswordSignup"]?.bool == true)
    #expect(found.json["testPhoneNumbers"]?["+12025550123"]?.string == "123456", "what is not ours is kept")
    let changed = await owner(
      "PATCH", "\(project)/tenants/\(id)?updateMask=displayName,testPhoneNumbers",
      #"{"displayName":"Other","allowPasswordSignup":false}"#)
    #expect(changed["displayName"] == "Other")
    #expect(changed.json["allowPasswordSignup"]?.bool == true, "the mask does not name it")
    #expect(changed.json["testPhoneNumbers"] == nil, "the mask names it, and the body has none")
    #expect(try await scene.provider.tenants().map(\.displayName) == ["Other"])
    let second = await owner("POST", "\(project)/tenants", "{}")
    #expect(second.resourceID?.hasPrefix("tenant-") == true)
    let first = await owner("GET", "\(project)/tenants?pageSize=1", "")
    #expect(first.json["tenants"]?.array?.count == 1)
    let token = try #require(first["nextPageToken"])
    let next = await owner("GET", "\(project)/tenants?pageSize=1000&pageToken=\(token)", "")
    #expect(next.json["tenants"]?.array?.count == 1 && next["nextPageToken"] == nil)
    #expect(next.json["tenants"]?.array?.first != first.json["tenants"]?.array?.first)
    #expect(await owner("DELETE", "\(project)/tenants/\(id)", "").status == 200)
    for method in ["GET", "PATCH", "DELETE"] {
      #expect(await owner(method, "\(project)/tenants/\(id)", "{}").message == "TENANT_NOT_FOUND")
    }
  }

  @Test func `a tenant allows what its administrator allows`() async throws {
    let made = await owner("POST", "\(project)/tenants", #"{"displayName":"strict"}"#)
    let id = try #require(made.resourceID)
    func call(_ name: String, _ members: String) async -> String? {
      let path = "/identitytoolkit.googleapis.com/v1/accounts:\(name)"
      return await scene.post(path, #"{"tenantId":"\#(id)",\#(members)"returnSecureToken":true}"#).message
    }
    let credential = #""email":"ada@example.com","password":"correct horse","#
    let link = #""requestType":"EMAIL_SIGNIN","email":"ada@example.com","continueUrl":"http://localhost/","#
    #expect(await call("signUp", credential) == "OPERATION_NOT_ALLOWED")
    #expect(await call("signUp", "") == "ADMIN_ONLY_OPERATION")
    #expect(await call("signInWithPassword", credential) == "PASSWORD_LOGIN_DISABLED")
    #expect(await call("sendOobCode", link) == "OPERATION_NOT_ALLOWED")
    let everything = #"{"allowPasswordSignup":true,"enableEmailLinkSignin":true,"enableAnonymousUser":true}"#
    #expect(await owner("PATCH", "\(project)/tenants/\(id)", everything).status == 200)
    #expect(await call("signUp", credential) == nil)
    #expect(await call("signUp", "") == nil)
    #expect(await call("signInWithPassword", credential) == nil)
    #expect(await call("sendOobCode", link) == nil)
    #expect(
      await owner("PATCH", "\(project)/tenants/\(id)?updateMask=disableAuth", #"{"disableAuth":true}"#).status == 200)
    #expect(await call("signInWithPassword", credential)?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
    let users = await owner("GET", "/v1/projects/\(scene.provider.audience)/tenants/\(id)/accounts:batchGet", "")
    #expect(users.json["users"]?.array?.count == 2, "its administrator still comes in")
  }

  @Test func `a tenant that is switched off serves none of its users, though a call does not name it`() async throws {
    _ = try await scene.provider.createTenant("t")
    let signedUp = await scene.post(
      "/v1/accounts:signUp",
      #"{"tenantId":"t","email":"ada@example.com","password":"correct horse","returnSecureToken":true}"#)
    let (idToken, refreshToken) = (signedUp.idToken, signedUp["refreshToken"] ?? "")
    func calls() async -> [Reply] {
      await [
        scene.post("/v1/token", #"{"grant_type":"refresh_token","refresh_token":"\#(refreshToken)"}"#),
        scene.post("/v1/accounts:lookup", #"{"idToken":"\#(idToken)"}"#),
        scene.post("/v1/accounts:update", #"{"idToken":"\#(idToken)","displayName":"Ada"}"#),
        scene.post("/v1/accounts:sendOobCode", #"{"idToken":"\#(idToken)","requestType":"VERIFY_EMAIL"}"#),
        scene.post(
          "/v1/accounts:update",
          #"{"idToken":"\#(idToken)","password":"another horse","returnSecureToken":true}"#),
      ]
    }
    func switchOff(_ isOff: Bool) async {
      let reply = await owner("PATCH", "\(project)/tenants/t?updateMask=disableAuth", #"{"disableAuth":\#(isOff)}"#)
      #expect(reply.status == 200)
    }
    await switchOff(true)
    for reply in await calls() {
      #expect(reply.message == "OPERATION_NOT_ALLOWED : the tenant is switched off")
    }
    await switchOff(false)
    for reply in await calls() { #expect(reply.status == 200, "\(reply.message ?? "")") }
  }

  @Test func `a tenant that was made in code allows every way to sign in, and says so`() async throws {
    _ = try await scene.provider.createTenant("t", displayName: "T")
    let found = await owner("GET", "\(project)/tenants/t", "")
    #expect(found.json["allowPasswordSignup"]?.bool == true && found["displayName"] == "T")
    let reply = await scene.post(
      "/v1/accounts:signUp", #"{"tenantId":"t","email":"ada@example.com","password":"correct horse"}"#)
    #expect(reply.status == 200)
  }

  // MARK: Identity providers

  @Test(arguments: ["", "/tenants/t"])
  func `an identity provider is made, found, changed, listed and deleted`(parent: String) async throws {
    _ = try await scene.provider.createTenant("t")
    for (kind, prefix, body) in [("oauthIdpConfig", "oidc.", oidc), ("inboundSamlConfig", "saml.", saml)] {
      let path = "\(project)\(parent)/\(kind)s"
      let made = await owner("POST", "\(path)?\(kind)Id=\(prefix)one", body)
      #expect(made["name"] == "projects/\(scene.provider.audience)\(parent)/\(kind)s/\(prefix)one")
      #expect(
        await owner("POST", "\(path)?\(kind)Id=\(prefix)one", body).message?.hasPrefix("CONFIGURATION_EXISTS") == true)
      #expect(await owner("GET", "\(path)/\(prefix)one", "").json == made.json)
      let changed = await owner(
        "PATCH", "\(path)/\(prefix)one?updateMask=displayName,idpConfig.ssoUrl",
        #"{"displayName":"One","idpConfig":{"ssoUrl":"https://j/","idpEntityId":"not named"}}"#)
      #expect(changed["displayName"] == "One")
      if kind == "inboundSamlConfig" {
        #expect(changed.json["idpConfig"]?["ssoUrl"]?.string == "https://j/")
        #expect(changed.json["idpConfig"]?["idpEntityId"]?.string == "i")
      }
      let list = await owner("GET", path, "")
      #expect(list.json["\(kind)s"]?.array == [.object(changed.json)])
      #expect(await owner("DELETE", "\(path)/\(prefix)one", "").status == 200)
      for method in ["GET", "PATCH", "DELETE"] {
        let gone = await owner(method, "\(path)/\(prefix)one", "{}")
        #expect(gone.message?.hasPrefix("CONFIGURATION_NOT_FOUND") == true)
      }
      #expect(await owner("GET", path, "").json.isEmpty)
    }
  }

  @Test(arguments: [
    ("oauthIdpConfigs?oauthIdpConfigId=one", "INVALID_CONFIG_ID"), ("oauthIdpConfigs", "INVALID_CONFIG_ID"),
    ("oauthIdpConfigs?oauthIdpConfigId=oidc.", "INVALID_CONFIG_ID"),
    ("oauthIdpConfigs?oauthIdpConfigId=oidc.a%2Fb", "INVALID_CONFIG_ID"),
    ("oauthIdpConfigs?oauthIdpConfigId=oidc.a", "MISSING_OAUTH_CLIENT_ID"),
    ("inboundSamlConfigs?inboundSamlConfigId=oidc.a", "INVALID_CONFIG_ID"),
    ("inboundSamlConfigs?inboundSamlConfigId=saml.a", "INVALID_CONFIG"),
  ])
  func `a provider that cannot be used is refused`(path: String, word: String) async {
    let reply = await owner("POST", "\(project)/\(path)", "{}")
    #expect(reply.status == 400)
    #expect(reply.message?.hasPrefix(word) == true, "\(reply.message ?? "")")
  }

  @Test func `odd questions are refused`() async throws {
    _ = await owner("POST", "\(project)/oauthIdpConfigs?oauthIdpConfigId=oidc.a", oidc)
    let path = "\(project)/oauthIdpConfigs/oidc.a"
    #expect(await owner("GET", "\(project)/oauthIdpConfigs?pageSize=0", "").status == 400)
    #expect(await owner("GET", "\(project)/tenants?pageSize=x", "").status == 400)
    #expect(await owner("PATCH", "\(path)?updateMask=a..b", "{}").status == 400)
    #expect(await owner("PATCH", "\(path)?updateMask=a.b.c.d.e.f.g.h.i", "{}").status == 400)
    #expect(await owner("PATCH", path, "[").status == 400)
    #expect(await owner("PATCH", "\(path)?updateMask=issuer", "{}").message?.hasPrefix("MISSING_ISSUER") == true)
    let large = #"{"note":"\#(String(repeating: "x", count: 70_000))"}"#
    #expect(await owner("PATCH", path, large).message?.hasPrefix("INVALID_CONFIG") == true)
    #expect(await owner("GET", "\(project)/tenants/none/oauthIdpConfigs", "").message == "INVALID_TENANT_ID")
    #expect(await owner("GET", path, "").json["issuer"]?.string == "https://issuer.example.com", "nothing is lost")
  }

  // MARK: Accounts from elsewhere

  @Test func `accounts come in from elsewhere`() async throws {
    let path = "/identitytoolkit.googleapis.com/v1/projects/\(scene.provider.audience)/accounts:batchCreate"
    let reply = await owner(
      "POST", path,
      #"""
      {"hashAlgorithm":"SHA256","rounds":1,"users":[
        {"localId":"ada","email":"ada@example.com","salt":"TmFDbA==",
         "passwordHash":"9zmOCnAv1SxhcCWzCyMdGdP1wJ5uTdWlo0Sdo6vmpXA="},
        {"email":"none@example.com"}]}
      """#)
    #expect(reply["kind"] == "identitytoolkit#UploadAccountResponse")
    #expect(reply.json["error"]?.array?.map { $0["index"]?.integer } == [1])
    #expect(reply.json["error"]?.array?.first?["message"]?.string == "localId is missing")
    let none = await owner("POST", path, #"{"users":[]}"#)
    #expect(none.message?.hasPrefix("MISSING_USER_ACCOUNT") == true)
  }

  @Test func `an account that cannot be read costs that one, and the others come in`() async throws {
    let path = "/identitytoolkit.googleapis.com/v1/projects/\(scene.provider.audience)/accounts:batchCreate"
    let reply = await owner(
      "POST", path,
      #"""
      {"users":[{"localId":["x"]},"str",{"localId":"ada","email":"ada@example.com","rawPassword":"correct horse"},
        {"localId":"b","mfaInfo":[{"phoneInfo":{}}]},
        {"localId":"d","email":"d@example.com","rawPassword":"short"}]}
      """#)
    let faults = reply.json["error"]?.array ?? []
    #expect(faults.map { $0["index"]?.integer } == [0, 1, 3, 4], "\(reply.json)")
    let words = faults.map { $0["message"]?.string ?? "" }
    #expect(words.first?.contains("The value of localId is not one that it can have") == true, "\(words)")
    #expect(words.last?.hasPrefix("WEAK_PASSWORD : ") == true, "\(words)")
    let signIn = await scene.post(
      "/v1/accounts:signInWithPassword", #"{"email":"ada@example.com","password":"correct horse"}"#)
    #expect(signIn["localId"] == "ada")
  }

  private func owner(_ method: String, _ path: String, _ json: String) async -> Reply {
    await scene.send(
      ServerRequest(method, path, headers: ["Authorization": "Bearer owner"], body: Array(json.utf8)))
  }
}
