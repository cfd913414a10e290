import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE
import GatehouseLocal
import GatehouseTesting
import IdentityToolkit
import Testing

/// Sign-in with ID tokens of an OpenID Connect provider.
struct IDTokenIdentityTests {
  @Test func `an ID token signs a new user in, and the same user again`() async throws {
    let scene = try IdentityScene()
    let first = try await scene.signIn(
      scene.credential("u1", ["email": "ada@example.com", "email_verified": true, "name": "Ada", "picture": "p"]))
    #expect(first.isNewUser == true)
    #expect(first.federatedId == "https://id.example/u1")
    let account = try await scene.scene.lookUp(#require(first.idToken))
    #expect(account.email == "ada@example.com")
    #expect(account.emailVerified == false, "the identity provider is not trusted with addresses")
    #expect(account.displayName == "Ada" && account.photoUrl == "p")
    #expect(account.providerUserInfo?.map(\.providerId) == ["oidc.example"])
    #expect(account.providerUserInfo?.first?.rawId == "u1")
    let claims = try UnverifiedToken(#require(first.idToken).revealed).claims
    #expect(claims["firebase"]?["sign_in_provider"]?.string == "oidc.example")
    #expect(claims["firebase"]?["identities"]?["oidc.example"] == .array([.string("u1")]))
    let again = try await scene.signIn(scene.credential())
    #expect(again.localId == first.localId && again.isNewUser == false)
    let other = try await scene.signIn(scene.credential("u2"))
    #expect(other.localId != first.localId)
  }

  @Test func `a logout token signs no one in`() async throws {
    let scene = try IdentityScene()
    try await scene.signIn(scene.credential())
    let events: JSONValue = ["http://schemas.openid.net/event/backchannel-logout": [:]]
    await expectRefusal("INVALID_IDP_RESPONSE") {
      try await scene.signIn(scene.credential("u1", ["events": events, "sid": "s1", "jti": "1"]))
    }
  }

  @Test(arguments: [
    "https://user:s3cret@id.example", "http://user@localhost:8080/realm", "HTTPS://:s3cret@id.example?a",
  ])
  func `an issuer with a user name or a password is refused, and not repeated`(issuer: String) async throws {
    let own = Scene { $0.issuer = issuer }
    let other = Scene {
      $0.identityProviders = [.openIDConnect("oidc.a", issuer: issuer, clientIDs: ["c"])]
      $0.transport = RecordingTransport()
    }
    for scene in [own, other] {
      let error = await #expect(throws: AuthError.self) { try await scene.backend.open() }
      #expect(error?.code == .invalidArgument && error?.message.contains("no user name and no password") == true)
      #expect(error?.message.contains("s3cret") == false)
    }
    _ = try await Scene { $0.issuer = "https://id.example/a@b" }.backend.open()
  }

  @Test func `discovery and keys are asked for once`() async throws {
    let scene = try IdentityScene()
    for number in 0..<5 { try await scene.signIn(scene.credential("u\(number)")) }
    #expect(scene.transport.requests.count == 2)
  }

  @Test(
    arguments: [
      ["iss": "https://evil.example"], ["aud": "another app"], ["exp": 1], ["sub": .null], ["exp": .null],
      ["aud": ["app-1", "another app"]], ["aud": ["app-1", "another app"], "azp": "another app"],
      ["aud": ["app-1"], "azp": "another app"], ["aud": ["app-1", "other"], "azp": 1],
      ["sub": ""], ["sub": .string(String(repeating: "x", count: 256))], ["iat": .null], ["nbf": 4_000_000_000],
    ] as [JSONObject])
  func `a token that is not good is refused`(changes: JSONObject) async throws {
    let scene = try IdentityScene()
    await expectRefusal("INVALID_IDP_RESPONSE") { try await scene.signIn(scene.credential("u1", changes)) }
  }

  @Test(
    arguments: [
      ["aud": ["app-1"]], ["aud": ["another app", "app-1"], "azp": "app-1"], ["aud": ["app-1", "x"], "azp": "other"],
      ["azp": "another app of the project"],
    ] as [JSONObject])
  func `a token for several apps is taken if it was issued to this one`(changes: JSONObject) async throws {
    let scene = try IdentityScene()
    try await scene.signIn(scene.credential("u1", changes))
  }

  @Test func `a token that another key has signed is refused`() async throws {
    let (scene, other) = (try IdentityScene(), try IdentityScene())
    await expectRefusal("INVALID_IDP_RESPONSE") { try await scene.signIn(other.credential()) }
  }

  @Test func `an unsigned token is refused`() async throws {
    let scene = try IdentityScene()
    var credential = try scene.credential()
    let parts = try scene.idToken().split(separator: ".")
    for text in ["\(Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))).\(parts[1]).", #"{"sub":"u1"}"#, "x", ""] {
      credential.idToken = Secret(text)
      await expectRefusal("INVALID_IDP_RESPONSE") { try await scene.signIn(credential) }
    }
  }

  @Test func `a nonce must be the hash of what the caller gives`() async throws {
    let scene = try IdentityScene()
    let hash = try HashAlgorithm.sha256.hash(Array("raw".utf8)).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
    try await scene.signIn(scene.credential("u1", ["nonce": .string(hash)], nonce: "raw"))
    let word = "MISSING_OR_INVALID_NONCE"
    await expectRefusal(word) {
      try await scene.signIn(scene.credential("u1", ["nonce": .string(hash)], nonce: "wrong"))
    }
    await expectRefusal(word) { try await scene.signIn(scene.credential("u1", ["nonce": .string(hash)])) }
    await expectRefusal(word) { try await scene.signIn(scene.credential("u1", nonce: "raw")) }
    // The nonce itself is in the token: who has stolen that knows it.
    await expectRefusal(word) { try await scene.signIn(scene.credential("u1", ["nonce": "raw"], nonce: "raw")) }
  }

  @Test func `a provider that is not configured is refused, and so is SAML`() async throws {
    let scene = try IdentityScene()
    var credential = IdentityCredential(providerID: "oidc.unknown")
    credential.idToken = Secret("x")
    await expectRefusal("INVALID_PROVIDER_ID") { try await scene.signIn(credential) }
    var saml = IdentityCredential(providerID: "saml.example")
    saml.samlResponse = Secret("PHNhbWw+")
    await expectRefusal("OPERATION_NOT_ALLOWED") { try await scene.signIn(saml) }
    #expect(scene.transport.requests.isEmpty)
  }

  @Test func `without a transport it is refused`() async throws {
    let scene = try IdentityScene { $0.transport = nil }
    await expectRefusal("OPERATION_NOT_ALLOWED") { try await scene.signIn(scene.credential()) }
  }

  @Test func `an identity provider that does not answer is no refusal of the token`() async throws {
    let scene = try IdentityScene()
    scene.transport.answer("\(IdentityScene.issuer)/.well-known/openid-configuration", .status(503))
    scene.transport.answer("\(IdentityScene.issuer)/.well-known/oauth-authorization-server", .status(503))
    // A failed discovery is remembered for half a minute: further sign-ins do not wait for it again.
    for _ in 1...5 { await expectRefusal(.keysUnavailable) { try await scene.signIn(scene.credential()) } }
    #expect(scene.transport.requests.count == 2)
    scene.scene.clock.advance(by: 30)
    await expectRefusal(.keysUnavailable) { try await scene.signIn(scene.credential()) }
    #expect(scene.transport.requests.count == 4)
    scene.scene.clock.advance(by: 30)
    scene.answer(
      "\(IdentityScene.issuer)/.well-known/openid-configuration",
      #"{"issuer":"https://id.example","jwks_uri":"https://id.example/keys"}"#)
    try await scene.signIn(scene.credential())
  }

  @Test func `unverified identities are taken only behind their switch`() async throws {
    let scene = try IdentityScene { $0.acceptsUnverifiedIdentities = true }
    var plain = IdentityCredential(providerID: "google.com")
    plain.idToken = Secret(#"{"sub":"abc","email":"ada@example.com","email_verified":true}"#)
    let first = try await scene.signIn(plain)
    #expect(first.email == "ada@example.com" && first.emailVerified == true)
    var saml = IdentityCredential(providerID: "saml.example")
    saml.samlResponse = Secret(#"{"sub":"s1"}"#)
    try await scene.signIn(saml)
    plain.idToken = Secret("nonsense")
    await expectRefusal("INVALID_IDP_RESPONSE") { try await scene.signIn(plain) }
    #expect(scene.transport.requests.isEmpty)
  }
}
