import GatehouseBase
import GatehouseJOSE
import GatehouseLocal
import IdentityToolkit
import Testing

/// ID tokens exactly as Firebase shapes them: a program that reads Firebase's tokens reads these.
struct TokenShapeTests {
  private func parts(_ token: Secret) throws -> (header: JSONObject, claims: JSONObject) {
    let parts = token.revealed.split(separator: ".").map(String.init)
    #expect(parts.count == 3)
    return (
      try JSONObject(parsing: try Base64URL.decode(parts[0])), try JSONObject(parsing: try Base64URL.decode(parts[1]))
    )
  }

  private func verified(_ token: Secret, by backend: LocalBackend, at now: Double) async throws -> VerifiedToken {
    let policy = VerificationPolicy.firebaseIDToken(project: "local", algorithms: [.RS256, .ES256])
    return try TokenVerifier(keys: try await backend.keySet(), policy: policy).verify(token.revealed, at: now)
  }

  @Test func `the token of a user with a password has these claims and no others`() async throws {
    let scene = Scene()
    let user = try await scene.signUp(displayName: "Ada")
    scene.clock.advance(by: 100)
    _ = try await scene.update(user.idToken) { $0.photoUrl = "https://example.com/ada.png" }
    let refreshed = try await scene.refresh(user.refreshToken)
    let sid = try #require(try parts(user.idToken).claims["sid"])
    let expected: JSONObject = [
      "name": "Ada", "picture": "https://example.com/ada.png",
      "iss": "https://securetoken.google.com/local", "aud": "local", "auth_time": 1_800_000_000,
      "user_id": .string(user.localId), "sub": .string(user.localId), "sid": sid, "iat": 1_800_000_100,
      "exp": 1_800_003_700,
      "email": "ada@example.com", "email_verified": false,
      "firebase": ["identities": ["email": ["ada@example.com"]], "sign_in_provider": "password"],
    ]
    #expect(try parts(refreshed.idToken).claims == expected)
  }

  @Test func `the token of an anonymous user has these claims and no others`() async throws {
    let scene = Scene()
    let user = try await scene.signUpAnonymously()
    let refreshed = try await scene.refresh(user.refreshToken)
    let sid = try #require(try parts(user.idToken).claims["sid"])
    let expected: JSONObject = [
      "provider_id": "anonymous", "iss": "https://securetoken.google.com/local", "aud": "local",
      "auth_time": 1_800_000_000, "user_id": .string(user.localId), "sub": .string(user.localId),
      "sid": sid, "iat": 1_800_000_000, "exp": 1_800_003_600,
      "firebase": ["identities": [:], "sign_in_provider": "anonymous"],
    ]
    #expect(try parts(user.idToken).claims == expected)
    #expect(try parts(refreshed.idToken).claims == expected)
  }

  @Test func `a token from a clock that was ahead is refused when the clock is set back, and the next is good`()
    async throws
  {
    let scene = Scene()
    let user = try await scene.signUp()
    scene.clock.advance(by: 2 * 86_400)
    let early = try await scene.refresh(user.refreshToken).idToken
    scene.clock.advance(by: -2 * 86_400)
    let now = scene.clock.now().wall
    await #expect(throws: AuthError.self) { try await verified(early, by: scene.backend, at: now) }
    let refreshed = try await scene.refresh(user.refreshToken)
    #expect(try await verified(refreshed.idToken, by: scene.backend, at: now).subject == user.localId)
    #expect(try await scene.lookUp(refreshed.idToken).localId == user.localId)
  }

  @Test(arguments: [90, 2 * 86_400] as [Double])
  func `after a sign-in by a clock that was ahead the user goes on when it is set back`(ahead: Double) async throws {
    let scene = Scene()
    _ = try await scene.signUp()
    scene.clock.advance(by: ahead)
    let early = try await scene.signIn()
    scene.clock.advance(by: -ahead)
    let now = scene.clock.now().wall
    let refreshed = try await scene.refresh(early.refreshToken)
    #expect(try await verified(refreshed.idToken, by: scene.backend, at: now).subject == early.localId)
    #expect(try await scene.lookUp(refreshed.idToken).localId == early.localId)
  }

  @Test(arguments: [90, 2 * 86_400] as [Double])
  func `an account that was made by a clock that was ahead can be signed in to when it is set back`(
    ahead: Double
  ) async throws {
    let scene = Scene()
    scene.clock.advance(by: ahead)
    let early = try await scene.signUp()
    scene.clock.advance(by: -ahead)
    let user = try await scene.signIn()
    #expect(try await scene.lookUp(user.idToken).localId == early.localId)
    #expect(
      try await verified(user.idToken, by: scene.backend, at: scene.clock.now().wall).subject == early.localId)
    // What was revoked stays revoked, though its times lie ahead.
    try await scene.backend.revoke(uid: early.localId)
    await #expect(throws: AuthError.self) { try await scene.lookUp(user.idToken) }
    await #expect(throws: AuthError.self) { try await scene.refresh(user.refreshToken) }
  }

  @Test func `a token is of its sign-in's time however often it is refreshed`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    scene.clock.advance(by: 1000)
    _ = try await scene.signIn()
    let refreshed = try await scene.refresh(user.refreshToken)
    #expect(try parts(refreshed.idToken).claims["auth_time"] == 1_800_000_000)
  }

  @Test func `project, issuer and lifetime are the options'`() async throws {
    let scene = Scene {
      $0.projectID = "demo"
      $0.issuer = "https://id.example.com"
      $0.tokenLifetime = .seconds(7)
    }
    let user = try await scene.signUp()
    let claims = try parts(user.idToken).claims
    #expect(user.expiresIn.value == 7)
    #expect(claims["iss"] == "https://id.example.com")
    #expect(claims["aud"] == "demo")
    #expect(claims["exp"] == 1_800_000_007)
    #expect(scene.backend.issuer == "https://id.example.com")
    #expect(scene.backend.audience == "demo")
    _ = try await scene.lookUp(user.idToken)
    scene.clock.advance(by: 7)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.lookUp(user.idToken) }
  }

  @Test func `a token is signed with RS256 unless the options say otherwise, and verifies with the key set`()
    async throws
  {
    let scene = Scene { $0.signing = LocalOptions().signing }
    let user = try await scene.signUp()
    let keys = try await scene.backend.keySet().keys
    #expect(keys.count == 1)
    let keyID = try #require(keys.first?.keyID)
    #expect(try keys[0].thumbprint() == keyID)
    #expect(try parts(user.idToken).header == ["alg": "RS256", "kid": .string(keyID), "typ": "JWT"])
    let token = try await verified(user.idToken, by: scene.backend, at: 1_800_000_000)
    #expect(token.subject == user.localId)

    // The same home with the other algorithm has two keys, and what either signed verifies with both of them there.
    let other = scene.another { $0.signing = .es256 }
    let call = SignInWithPassword(email: "ada@example.com", password: Secret("correct horse"))
    let later = try await other.answer(call)
    #expect(try parts(later.idToken).header["alg"] == "ES256")
    #expect(try await other.keySet().keys.count == 2)
    _ = try await verified(later.idToken, by: other, at: 1_800_000_000)
    _ = try await verified(user.idToken, by: other, at: 1_800_000_000)
    _ = try await other.answer(Lookup(idToken: user.idToken))
  }

  @Test func `the published keys hold no private part`() async throws {
    let scene = Scene()
    let set = try await scene.backend.keySet().json
    let key = try #require(set["keys"]?.array?.first?.object)
    #expect(key["d"] == nil)
    #expect(key["alg"] == "ES256")
    #expect(key["use"] == "sig")
  }
}
