import GatehouseBase
import GatehouseCrypto
import GatehouseHTTP
import GatehouseJOSE
import GatehouseLocal
import GatehouseServer
import GatehouseTesting
import Testing

/// Users of an OpenID Connect provider that an administrator has configured over HTTP.
struct ConfiguredProviderTests {
  private static let issuer = "https://id.example"
  private let transport = RecordingTransport()
  private let scene: ServerScene
  private let signer: TokenSigner

  init() throws {
    let key = try PrivateKey.generate(.p256)
    signer = try TokenSigner(key: key, keyID: "k1")
    let published = try JWKSet([JWK(.publicKey(key.publicKey), keyID: "k1")])
    transport.answer(
      "\(Self.issuer)/.well-known/openid-configuration",
      .status(200, body: Array(#"{"issuer":"\#(Self.issuer)","jwks_uri":"\#(Self.issuer)/keys"}"#.utf8)))
    transport.answer("\(Self.issuer)/keys", .status(200, body: Array(published.serialized())))
    scene = ServerScene { [transport] in $0.transport = transport }
  }

  @Test func `a user of a configured provider signs in, while the provider is switched on`() async throws {
    let account = try await KeyFile(scene)
    let credential = try account.assertion {
      $0["aud"] = "https://identitytoolkit.googleapis.com/"
      $0["sub"] = .string(account.email)
    }
    func configure(_ method: String, _ path: String, _ json: String) async -> Reply {
      await scene.send(
        ServerRequest(
          method, "/v2/projects/local/oauthIdpConfigs\(path)", headers: ["Authorization": "Bearer \(credential)"],
          body: Array(json.utf8)))
    }
    let made = await configure(
      "POST", "?oauthIdpConfigId=oidc.a", #"{"clientId":"app-1","issuer":"\#(Self.issuer)","enabled":true}"#)
    #expect(made.status == 200)
    let user = try await signIn()
    #expect(user.status == 200)
    #expect(user["providerId"] == "oidc.a")
    #expect(user.json["isNewUser"]?.bool == true)
    #expect(try await signIn()["localId"] == user["localId"])
    #expect(try await signIn(client: "app-2").message?.hasPrefix("INVALID_IDP_RESPONSE") == true)
    let forged = try TokenSigner(key: PrivateKey.generate(.p256), keyID: "k1")
    #expect(try await signIn(signedBy: forged).message?.hasPrefix("INVALID_IDP_RESPONSE") == true)
    #expect(await configure("PATCH", "/oidc.a?updateMask=enabled", #"{"enabled":false}"#).status == 200)
    #expect(try await signIn().message?.hasPrefix("INVALID_PROVIDER_ID") == true)
  }

  private func signIn(client: String = "app-1", signedBy other: TokenSigner? = nil) async throws -> Reply {
    let now = Int64(scene.clock.now().wall)
    let token = try (other ?? signer).sign([
      "iss": .string(Self.issuer), "aud": .string(client), "sub": "u1", "iat": .number(JSONNumber(now)),
      "exp": .number(JSONNumber(now + 600)),
    ])
    return await scene.post(
      "/v1/accounts:signInWithIdp",
      #"{"postBody":"providerId=oidc.a&id_token=\#(token)","requestUri":"http://localhost"}"#)
  }
}
