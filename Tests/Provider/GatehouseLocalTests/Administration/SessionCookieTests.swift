import GatehouseBase
import GatehouseJOSE
import GatehouseLocal
import IdentityToolkit
import Testing

struct SessionCookieTests {
  private static func cookie(_ scene: Scene, of token: Secret, _ seconds: Int = 300) async throws -> String {
    try await scene.backend.sessionCookie(forIDToken: token.revealed, lifetime: .seconds(seconds))
  }

  @Test func `a cookie says what the ID token says, under its own issuer and times`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    scene.clock.advance(by: 100)
    let cookie = try await Self.cookie(scene, of: user.idToken, 86400)
    let verified = try await scene.backend.verifySessionCookie(cookie)
    var expected = try UnverifiedToken(user.idToken.revealed).claims
    expected["iss"] = "https://session.firebase.google.com/local"
    expected["iat"] = 1_800_000_100
    expected["exp"] = 1_800_086_500
    #expect(verified.claims == expected)
    #expect(verified.subject == user.localId)
    let policy = VerificationPolicy.firebaseSessionCookie(project: "local", algorithms: [.ES256])
    let elsewhere = TokenVerifier(keys: try await scene.backend.keySet(), policy: policy)
    #expect(try elsewhere.verify(cookie, at: 1_800_086_499).claims == expected)
  }

  @Test func `a cookie is no ID token, and an ID token no cookie`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let cookie = try await Self.cookie(scene, of: user.idToken)
    await expectRefusal("INVALID_ID_TOKEN") { try await scene.lookUp(Secret(cookie)) }
    await expectRefusal("INVALID_ID_TOKEN") { try await Self.cookie(scene, of: Secret(cookie)) }
    await expectRefusal(.issuerMismatch) { try await scene.backend.verifySessionCookie(user.idToken.revealed) }
  }

  @Test(arguments: [299, 1_209_601, 0, -1, .max]) func `a lifetime that no cookie has is refused`(_ seconds: Int)
    async throws
  {
    let scene = Scene()
    let user = try await scene.signUp()
    let error = await expectRefusal(.invalidArgument) { try await Self.cookie(scene, of: user.idToken, seconds) }
    #expect(error?.serverCode == "INVALID_DURATION")
  }

  @Test(arguments: [300, 1_209_600]) func `a cookie is good to its last second, though its key is retired`(
    _ seconds: Int
  ) async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let cookie = try await Self.cookie(scene, of: user.idToken, seconds)
    _ = try await scene.backend.rotateKeys(atOnce: true)
    scene.clock.advance(by: Double(seconds) - 1)
    try await scene.prune()
    _ = try await scene.backend.verifySessionCookie(cookie)
    scene.clock.advance(by: 1)
    await expectRefusal(.tokenExpired) { try await scene.backend.verifySessionCookie(cookie) }
  }

  @Test func `an old sign-in gets no cookie`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    scene.clock.advance(by: 301)
    await expectRefusal("CREDENTIAL_TOO_OLD_LOGIN_AGAIN") { try await Self.cookie(scene, of: user.idToken) }
    scene.clock.advance(by: 3600)
    await expectRefusal("TOKEN_EXPIRED") { try await Self.cookie(scene, of: user.idToken) }
  }

  @Test(arguments: ["disabled", "deleted", "revoked"])
  func `a look-up refuses the cookie of an account that is gone, disabled or signed out`(_ fate: String) async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let name = AccountName(user.localId)
    let cookie = try await Self.cookie(scene, of: user.idToken)
    _ = try await scene.backend.verifySessionCookie(cookie, checkingRevocation: true)
    scene.clock.advance(by: 10)
    let code: AuthError.Code
    switch fate {
    case "disabled": (_, code) = (try await scene.backend.setDisabled(name, true), .userDisabled)
    case "deleted": (_, code) = (try await scene.backend.deleteAccount(name), .userNotFound)
    default: (_, code) = (try await scene.backend.revoke(name), .userTokenExpired)
    }
    _ = try await scene.backend.verifySessionCookie(cookie)
    await expectRefusal(code) { try await scene.backend.verifySessionCookie(cookie, checkingRevocation: true) }
    await expectRefusal(code) { try await Self.cookie(scene, of: user.idToken) }
  }

  @Test func `the completion forms answer as the others`() async throws {
    let scene = Scene()
    let token = try await scene.signUp().idToken.revealed
    let cookie = try await withCheckedThrowingContinuation { caller in
      scene.backend.sessionCookie(forIDToken: token, lifetime: .seconds(300)) { caller.resume(with: $0) }
    }
    let verified = try await withCheckedThrowingContinuation { caller in
      scene.backend.verifySessionCookie(cookie, checkingRevocation: true) { caller.resume(with: $0) }
    }
    #expect(verified["iss"] == "https://session.firebase.google.com/local")
  }

  @Test func `the issuer of cookies cannot be that of ID tokens`() async {
    let scene = Scene { $0.issuer = "https://session.firebase.google.com/local" }
    await expectRefusal(.invalidArgument) { try await scene.backend.open() }
  }
}
