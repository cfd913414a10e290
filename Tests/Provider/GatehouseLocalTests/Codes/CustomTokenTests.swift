import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE
import GatehouseLocal
import IdentityToolkit
import Testing

struct CustomTokenTests {
  private func signIn(_ scene: Scene, _ token: String) async throws -> SignInWithCustomToken.Response {
    try await scene.backend.answer(SignInWithCustomToken(token: Secret(token)))
  }

  @Test func `a custom token signs a new user in, and the same user again`() async throws {
    let scene = Scene()
    let token = try await scene.backend.customToken(forUser: "ada", claims: ["role": "countess"])
    let first = try await signIn(scene, token)
    #expect(first.isNewUser == true)
    let account = try await scene.lookUp(first.idToken)
    #expect(account.localId == "ada")
    #expect(account.profile.isAnonymous == false)
    let again = try await signIn(scene, token)
    #expect(again.isNewUser == false)
  }

  @Test func `its claims stay in the session's tokens, and the provider's own win`() async throws {
    let scene = Scene()
    let token = try await scene.backend.customToken(
      forUser: "ada", claims: ["role": "countess", "level": 3, "name": "Ada"])
    let signedIn = try await signIn(scene, token)
    scene.clock.advance(by: 100)
    for idToken in [signedIn.idToken, try await scene.refresh(signedIn.refreshToken).idToken] {
      let claims = try UnverifiedToken(idToken.revealed).claims
      #expect(claims["role"]?.string == "countess")
      #expect(claims["level"]?.integer == 3)
      #expect(claims["sub"]?.string == "ada")
      #expect(claims["firebase"]?["sign_in_provider"]?.string == "custom")
    }
    let other = try await signIn(scene, try await scene.backend.customToken(forUser: "ada"))
    #expect(try UnverifiedToken(other.idToken.revealed).claims["role"] == nil)
  }

  @Test func `claims that cannot be are refused when the token is made`() async throws {
    let scene = Scene()
    for name in ["sub", "aud", "firebase", "sid", "email_verified", "auth_time"] {
      let error = await expectRefusal(.invalidArgument) {
        try await scene.backend.customToken(forUser: "ada", claims: JSONObject([name: "x"]))
      }
      #expect(error?.serverCode == "FORBIDDEN_CLAIM")
    }
    let long = await expectRefusal(.invalidArgument) {
      try await scene.backend.customToken(
        forUser: "ada", claims: ["x": .string(String(repeating: "y", count: 1000))])
    }
    #expect(long?.serverCode == "CLAIMS_TOO_LARGE")
    for uid in ["", String(repeating: "u", count: 129), "a\u{0}b"] {
      await expectRefusal(.invalidArgument) { try await scene.backend.customToken(forUser: uid) }
    }
  }

  @Test func `no other token signs in`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let token = try await scene.backend.customToken(forUser: "ada")
    await expectRefusal("INVALID_CUSTOM_TOKEN") { try await signIn(scene, user.idToken.revealed) }
    let renamed = scene.another { $0.projectID = "other" }
    await expectRefusal("CREDENTIAL_MISMATCH") {
      try await signIn(scene, try await renamed.customToken(forUser: "ada"))
    }
    await expectRefusal("INVALID_CUSTOM_TOKEN") { try await signIn(scene, "nonsense") }
    await expectRefusal("MISSING_CUSTOM_TOKEN") { try await signIn(scene, "") }
    await expectRefusal("INVALID_CUSTOM_TOKEN") { try await signIn(scene, String(token.dropLast(4)) + "AAAA") }
    // A custom token is no ID token either.
    await expectRefusal("INVALID_ID_TOKEN") { try await scene.lookUp(Secret(token)) }
    let other = Scene { $0.projectID = "other" }
    await expectRefusal("INVALID_CUSTOM_TOKEN") {
      try await signIn(scene, try await other.backend.customToken(forUser: "ada"))
    }
    scene.clock.advance(by: 3600)
    await expectRefusal("INVALID_CUSTOM_TOKEN") { try await signIn(scene, token) }
  }

  @Test func `a disabled user is not signed in`() async throws {
    let scene = Scene()
    let token = try await scene.backend.customToken(forUser: "ada")
    _ = try await signIn(scene, token)
    try await scene.backend.setDisabled(uid: "ada", true)
    await expectRefusal("USER_DISABLED") { try await signIn(scene, token) }
  }
}
