import GatehouseBase
import GatehouseJOSE
import GatehouseServer
import Testing

struct PublicKeysTests {
  @Test(arguments: [
    "/.well-known/jwks.json", "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
    "/www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
  ])
  func `a token is verified with the key set`(path: String) async throws {
    let scene = ServerScene()
    let token = await scene.signUp().idToken
    let reply = await scene.get(path)
    #expect(reply.response.headers["Cache-Control"]?.contains("max-age=300") == true)
    try verify(token, with: try JWKSet(parsing: reply.response.body), at: scene.clock.wall)
  }

  @Test(arguments: [
    "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com",
    "/www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com",
    "/identitytoolkit/v3/relyingparty/publicKeys", "/v1/sessionCookiePublicKeys",
    "/identitytoolkit.googleapis.com/v1/sessionCookiePublicKeys",
  ])
  func `a token is verified with the certificates`(path: String) async throws {
    let scene = ServerScene { $0.signing = .rs256 }
    let token = await scene.signUp().idToken
    let keys = try JWKSet(published: await scene.get(path).response.body, at: scene.clock.wall)
    try verify(token, with: keys, at: scene.clock.wall)
  }

  @Test func `the certificate of a key is made once`() async throws {
    let scene = ServerScene()
    let path = "/v1/sessionCookiePublicKeys"
    let first = await scene.get(path).json
    #expect(first.names.count == 1)
    _ = try await scene.provider.rotateKeys()
    let second = await scene.get(path).json
    #expect(second.names.count == 2)
    for name in first.names { #expect(second[name] == first[name]) }
    #expect(await scene.get(path).json == second)
  }

  private func verify(_ token: String, with keys: JWKSet, at now: Double) throws {
    let policy = VerificationPolicy.firebaseIDToken(project: "local", algorithms: [.RS256, .ES256])
    let verified = try TokenVerifier(keys: keys, policy: policy).verify(token, at: now)
    #expect(verified.issuer == "https://securetoken.google.com/local")
  }

  @Test func `discovery names the issuer, and where the keys are`() async {
    let scene = ServerScene {
      $0.issuer = "https://id.example.com"
    } options: {
      $0.publicURL = "https://id.example.com"
    }
    let document = await scene.get("/.well-known/openid-configuration")
    #expect(document["issuer"] == "https://id.example.com")
    #expect(document["jwks_uri"] == "https://id.example.com/.well-known/jwks.json")
  }

  @Test(arguments: ["", "a b", "a\"b", "a/b", "a@b", "é"])
  func `a host that is none is refused`(host: String) async {
    let reply = await ServerScene().get("/.well-known/openid-configuration", headers: ["Host": host])
    #expect(reply.status == 400)
  }
}
