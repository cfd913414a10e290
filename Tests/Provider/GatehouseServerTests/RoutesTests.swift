import Foundation
import GatehouseBase
import GatehouseServer
import IdentityToolkit
import Logging
import TestSupport
import Testing

struct RoutesTests {
  @Test func `every call of a client is served below its host's name, and at the host's own path`() async throws {
    let scene = ServerScene()
    #expect(EveryCall.ofClients.count > 20)
    for call in EveryCall.ofClients {
      let (method, endpoint) = (call.method.name, call.endpoint)
      let host = try #require(endpoint.firstIndex(of: "/"))
      let own = endpoint.contains(".com/") ? [String(endpoint[host...])] : []
      for path in ["/\(endpoint)"] + own {
        let reply = await scene.send(ServerRequest(method, "\(path)?key=k", body: Array("{}".utf8)))
        #expect(reply.status == 400 || reply.status == 200, "\(path)")
        #expect(await scene.send(ServerRequest(method, path)).status == 403, "\(path) without a key")
      }
    }
  }

  @Test(arguments: [
    "signupNewUser", "verifyPassword", "verifyCustomToken", "verifyAssertion", "emailLinkSignin", "verifyPhoneNumber",
    "sendVerificationCode", "getAccountInfo", "setAccountInfo", "deleteAccount", "getOobConfirmationCode",
    "resetPassword", "createAuthUri",
  ])
  func `a call has its old name`(name: String) async {
    let scene = ServerScene()
    for prefix in ["/www.googleapis.com", ""] {
      let reply = await scene.post("\(prefix)/identitytoolkit/v3/relyingparty/\(name)", "[]")
      #expect(reply.message == "Invalid JSON payload received. expected a JSON object", "\(prefix)")
    }
  }

  @Test func `the project is described to a client`() async throws {
    let scene = ServerScene()
    for path in ["/v1/projects", "/identitytoolkit/v3/relyingparty/getProjectConfig"] {
      let reply = await scene.get("\(path)?key=k")
      #expect(reply["projectId"] == "local")
      #expect(reply.json["authorizedDomains"]?.array?.contains("localhost") == true)
    }
    #expect(await scene.get("/v1/recaptchaParams?key=k").status == 200)
  }

  @Test(arguments: [
    "/", "", "//v1/accounts:signUp", "/v1//accounts:signUp", "/v1/./accounts:signUp", "/v1/x/../accounts:signUp",
    "/v1/accounts:signUp/", "/v1/accounts:SIGNUP", "/v1%2Faccounts:signUp", "/v1/accounts:signUp%00",
    "/v1/accounts:signUp%", "/v1/accounts:signUp%zz", "/v1/accounts%3asignUp%ff",
    "/emulator/v1/projects/local/oobCodes",
    "v1/accounts:signUp", "http://id.test/v1/accounts:signUp", "/\(String(repeating: "a/", count: 2000))",
  ])
  func `a path that is none of the table is not found, and nothing tidies it up`(path: String) async {
    let reply = await ServerScene().post(path, "{}")
    #expect(reply.status == 404)
    #expect(reply.json["error"]?["status"]?.string == "NOT_FOUND")
  }

  @Test func `a colon may be percent-encoded`() async {
    #expect(await ServerScene().post("/v1/accounts%3AsignUp", "{}").status == 200)
  }

  @Test func `another method is told which ones there are`() async {
    let scene = ServerScene()
    let reply = await scene.get("/v1/accounts:signUp?key=k")
    #expect(reply.status == 405)
    #expect(reply.response.headers["Allow"] == "POST")
    #expect(reply.json["error"]?["code"]?.integer == 405)
    #expect(await scene.post("/v2/passwordPolicy", "{}").response.headers["Allow"] == "GET")
  }

  @Test func `the server is healthy while its process answers, and ready while its provider can be used`() async throws
  {
    let scene = ServerScene()
    #expect(await scene.get("/healthz").status == 200)
    #expect(await scene.get("/readyz").status == 200)
    try await scene.provider.close()
    #expect(await scene.get("/healthz").status == 200)
    #expect(await scene.get("/readyz").status == 503)
  }

  @Test func `a server whose provider's folder is damaged is not ready either`() async throws {
    let scene = ServerScene()
    try scene.damage()
    #expect(await scene.get("/readyz").status == 503)
  }

  @Test func `a server whose provider's folder is removed is not ready, and acknowledges nothing`() async throws {
    let (lines, folder) = (LogLines(), FileManager.default)
    let scene = ServerScene(options: { $0.logger = Logger(label: "test") { _ in lines } })
    #expect(await scene.signUp().status == 200)
    // In one step: what the provider writes meanwhile does not disturb the removal.
    let gone = scene.provider.directory + "-gone"
    try folder.moveItem(atPath: scene.provider.directory, toPath: gone)
    defer { ServerScene.remove(gone) }
    #expect(await scene.signUp("bea@example.com").status == 503)
    #expect(await scene.get("/readyz").status == 503)
    #expect(lines.all.contains { $0.contains("the provider's folder was removed, moved or replaced") }, "\(lines.all)")
    #expect(await scene.get("/healthz").status == 200)
    #expect(!folder.fileExists(atPath: scene.provider.directory))
  }
}
