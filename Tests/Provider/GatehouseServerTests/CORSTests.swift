import GatehouseServer
import Testing

struct CORSTests {
  private static let origin = "https://app.example.com"

  private func scene(permitsPrivateNetwork: Bool = false) -> ServerScene {
    ServerScene(options: {
      ($0.allowedOrigins, $0.permitsPrivateNetwork) = ([Self.origin], permitsPrivateNetwork)
    })
  }

  @Test(arguments: [true, false])
  func `a browser may send what it asks for, and a private network is permitted if it is named`(isPermitted: Bool) async
  {
    let reply = await scene(permitsPrivateNetwork: isPermitted).send(
      ServerRequest(
        "OPTIONS", "/v1/accounts:signUp?key=k",
        headers: [
          "Origin": Self.origin, "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": "content-type,x-client-version",
          "Access-Control-Request-Private-Network": "true",
        ]))
    let headers = reply.response.headers
    #expect(reply.status == 204)
    #expect(reply.response.body.isEmpty)
    #expect(headers["Access-Control-Allow-Origin"] == Self.origin)
    #expect(headers["Access-Control-Allow-Headers"] == "content-type,x-client-version")
    #expect(headers["Access-Control-Allow-Methods"]?.contains("POST") == true)
    #expect(headers["Access-Control-Allow-Private-Network"] == (isPermitted ? "true" : nil))
    #expect(headers["Access-Control-Allow-Credentials"] == nil)
  }

  @Test func `a page reads answers and refusals`() async {
    let scene = scene()
    for path in ["/v1/accounts:signUp", "/nothing"] {
      let reply = await scene.post(path, "{}", headers: ["Origin": Self.origin])
      #expect(reply.response.headers["Access-Control-Allow-Origin"] == Self.origin)
      #expect(reply.response.headers["Vary"]?.contains("Origin") == true)
    }
    #expect(await scene.post("/v1/accounts:signUp", "{}").response.headers["Access-Control-Allow-Origin"] == nil)
  }

  @Test func `a cached key set names the field on which it depends`() async {
    for path in ["/.well-known/jwks.json", "/.well-known/openid-configuration", "/v1/sessionCookiePublicKeys"] {
      let fields = await scene().get(path).response.headers.values(of: "Vary")
      #expect(fields.contains("Origin"), "\(path)")
      #expect(fields.contains("Host") == path.hasSuffix("configuration"), "\(path)")
    }
  }
}
