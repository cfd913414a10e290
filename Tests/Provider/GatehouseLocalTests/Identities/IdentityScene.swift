import Gatehouse
import GatehouseBase
import GatehouseCrypto
import GatehouseHTTP
import GatehouseJOSE
import GatehouseLocal
import GatehouseTesting
import IdentityToolkit
import Testing

/// A provider that knows an OpenID Connect provider, which signs tokens for the test, and OAuth providers.
struct IdentityScene: Sendable {
  static let issuer = "https://id.example"
  static let client = "app-1"

  let scene: Scene
  let transport = RecordingTransport()
  private let signer: TokenSigner

  init(trusted: Bool = false, _ adjust: (inout LocalOptions) -> Void = { _ in }) throws {
    let key = try PrivateKey.generate(.p256)
    signer = try TokenSigner(key: key, keyID: "k1")
    let published = try JWKSet([JWK(.publicKey(key.publicKey), keyID: "k1")])
    transport.answerJSON(
      "\(Self.issuer)/.well-known/openid-configuration",
      #"{"issuer":"\#(Self.issuer)","jwks_uri":"\#(Self.issuer)/keys"}"#)
    transport.answerJSON("\(Self.issuer)/keys", String(decoding: published.serialized(), as: UTF8.self))
    var provider = IdentityProvider.openIDConnect(
      "oidc.example", issuer: Self.issuer, clientIDs: ["other", Self.client])
    provider.isTrustedWithEmail = trusted
    scene = Scene { [transport, provider] in
      $0.transport = transport
      $0.identityProviders = [
        provider, .gitHub(clientID: Self.client, clientSecret: Secret("s3cret"), api: "https://api.example"),
        .facebook(appID: Self.client, appSecret: Secret("s3cret"), api: "https://graph.example"),
        .twitter(consumerKey: Self.client, consumerSecret: Secret("s3cret"), api: "https://x.example"),
        .userInfo(
          "oidc.opaque",
          UserInfoEndpoint(
            url: "https://opaque.example/userinfo",
            check: .introspection(
              url: "https://opaque.example/introspect", clientID: Self.client, clientSecret: Secret("s3cret")))),
      ]
      adjust(&$0)
    }
  }

  /// An ID token; a claim that is `.null` is left out.
  func idToken(_ subject: String = "u1", _ changes: JSONObject = JSONObject()) throws -> String {
    let now = Int64(scene.clock.now().wall)
    var claims: JSONObject = [
      "iss": .string(Self.issuer), "aud": .string(Self.client), "sub": .string(subject),
      "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 600)),
    ]
    for member in changes.members { claims[member.name] = member.value == .null ? nil : member.value }
    return try signer.sign(claims)
  }

  /// A credential of an ID token.
  func credential(
    _ subject: String = "u1", _ changes: JSONObject = JSONObject(), nonce: String? = nil
  ) throws -> IdentityCredential {
    var credential = IdentityCredential(providerID: "oidc.example")
    credential.idToken = Secret(try idToken(subject, changes))
    credential.rawNonce = nonce.map(Secret.init)
    return credential
  }

  func accessToken(_ provider: String, _ token: String = "opaque") -> IdentityCredential {
    var credential = IdentityCredential(providerID: provider)
    credential.accessToken = Secret(token)
    return credential
  }

  @discardableResult
  func signIn(
    _ credential: IdentityCredential, linkingTo idToken: Secret? = nil
  ) async throws -> SignInWithIdp.Response {
    try await scene.backend.answer(SignInWithIdp(credential, linkingTo: idToken))
  }

  /// Has an address answer JSON.
  func answer(_ url: String, _ json: String, status: Int = 200) { transport.answerJSON(url, json, status: status) }
}

extension RecordingTransport {
  fileprivate func answerJSON(_ url: String, _ json: String, status: Int = 200) {
    answer(url, .status(status, headers: ["Content-Type": "application/json"], body: Array(json.utf8)))
  }
}
