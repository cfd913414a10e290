import GatehouseAsyncHTTP
import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE
import GatehouseLocal
import GatehouseTesting
import HangGuard
import IdentityToolkit
import TestSupport
import Testing

/// Identity providers on this machine, over real sockets.
@Suite(.endsIfItHangs) struct LoopbackIdentityTests {
  private let server: LoopbackServer

  init() throws { server = try LoopbackServer() }

  private func serve(_ path: String, _ json: String, status: String = "200 OK") {
    server.serve(
      path,
      .raw(
        "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(json.utf8.count)\r\n"
          + "Connection: close\r\n\r\n\(json)"))
  }

  private func scene(_ providers: [IdentityProvider]) -> ServerScene {
    ServerScene {
      $0.transport = AsyncHTTPTransport()
      $0.identityProviders = providers
    }
  }

  private func accessToken(_ provider: String) -> IdentityCredential {
    var credential = IdentityCredential(providerID: provider)
    credential.accessToken = Secret("opaque")
    credential.secret = Secret("token-secret")
    return credential
  }

  @Test func `an ID token signs in with the keys that discovery finds`() async throws {
    let key = try PrivateKey.generate(.p256)
    serve("/.well-known/openid-configuration", #"{"issuer":"\#(server.url)","jwks_uri":"\#(server.url)/keys"}"#)
    serve(
      "/keys",
      String(decoding: try JWKSet([JWK(.publicKey(key.publicKey), keyID: "k1")]).serialized(), as: UTF8.self))
    let scene = scene([.openIDConnect("oidc.a", issuer: server.url, clientIDs: ["app"])])
    func signIn(_ key: PrivateKey, _ audience: String = "app") async throws -> SignInWithIdp.Response {
      let now = Int64(scene.clock.now().wall)
      var credential = IdentityCredential(providerID: "oidc.a")
      credential.idToken = Secret(
        try TokenSigner(key: key, keyID: "k1").sign([
          "iss": .string(server.url), "aud": .string(audience), "sub": "u1", "iat": .number(JSONNumber(now)),
          "exp": .number(JSONNumber(now + 600)),
        ]))
      return try await scene.provider.answer(SignInWithIdp(credential))
    }
    let user = try await signIn(key)
    #expect(user.isNewUser == true)
    #expect(try await signIn(key).localId == user.localId)
    let other = try PrivateKey.generate(.p256)
    for error in [await refusal { try await signIn(other) }, await refusal { try await signIn(key, "other") }] {
      #expect(error?.code == .invalidCredential)
    }
    let asked = Set(server.received.map { $0.url.dropFirst(server.url.utf8.count) })
    #expect(asked == ["/.well-known/openid-configuration", "/keys"])
  }

  @Test func `GitHub, Facebook and X are asked who has given the token, and who the user is`() async throws {
    serve("/applications/app/token", #"{"app":{"client_id":"app"}}"#)
    serve("/user", #"{"id":1,"login":"ada"}"#)
    serve("/debug_token?input_token=opaque&access_token=app%7Cs", #"{"data":{"is_valid":true,"app_id":"app"}}"#)
    serve("/me?fields=id,name,email", #"{"id":"2","name":"Ada"}"#)
    server.serveEverywhere(
      .raw(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 33\r\nConnection: close\r\n\r\n"
          + #"{"id_str":"3","screen_name":"ad"}"#))
    let backend = scene([
      .gitHub(clientID: "app", clientSecret: Secret("s"), api: server.url),
      .facebook(appID: "app", appSecret: Secret("s"), api: server.url),
      .twitter(consumerKey: "app", consumerSecret: Secret("s"), api: server.url),
    ]).provider
    for (provider, subject) in [("github.com", "1"), ("facebook.com", "2"), ("twitter.com", "3")] {
      let user = try await backend.answer(SignInWithIdp(accessToken(provider)))
      let account = try await backend.answer(Lookup(idToken: #require(user.idToken))).users?.first
      #expect(account?.providerUserInfo?.first?.rawId == subject, "\(provider)")
    }
    serve("/applications/app/token", "{}", status: "404 Not Found")
    let error = await refusal { try await backend.answer(SignInWithIdp(accessToken("github.com"))) }
    #expect(error?.code == .invalidCredential)
  }

  private func refusal<Value>(_ body: () async throws -> Value) async -> AuthError? {
    do {
      _ = try await body()
      return nil
    } catch {
      return error as? AuthError
    }
  }
}
