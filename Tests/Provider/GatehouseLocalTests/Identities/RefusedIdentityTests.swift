import GatehouseBase
import GatehouseHTTP
import GatehouseLocal
import GatehouseTesting
import HangGuard
import IdentityToolkit
import Testing

/// The limit of refused credentials of identity providers from one network.
@Suite(.endsIfItHangs) struct RefusedIdentityTests {
  private static let network = Caller(address: "192.0.2.1")
  private static let tooMany = "TOO_MANY_ATTEMPTS_TRY_LATER"
  private static let question = "https://opaque.example/introspect"

  private func scene() throws -> IdentityScene {
    let scene = try IdentityScene { $0.addressThrottle = Throttle(attempts: 3, window: .seconds(3600)) }
    scene.answer(Self.question, #"{"active":false}"#)
    return scene
  }

  private func signIn(_ scene: IdentityScene, _ caller: Caller, _ token: String) async throws(AuthError) {
    let call = SignInWithIdp(scene.accessToken("oidc.opaque", token))
    _ = try await scene.scene.backend.backend(for: caller).answer(call)
  }

  @Test func `made-up access tokens of one network cause a limited number of requests`() async throws {
    let scene = try scene()
    for number in 1...3 {
      await expectRefusal("INVALID_IDP_RESPONSE") { try await signIn(scene, Self.network, "t\(number)") }
    }
    for number in 4...8 {
      let refusal = await expectRefusal(Self.tooMany) { try await signIn(scene, Self.network, "t\(number)") }
      #expect(refusal?.retryAfter == .seconds(3600))
    }
    #expect(scene.transport.requests.count == 3)
    await expectRefusal("INVALID_IDP_RESPONSE") { try await signIn(scene, Caller(address: "192.0.2.2"), "t") }
    // Passwords have a count of their own.
    try await scene.scene.signUp()
    _ = try await scene.scene.backend.backend(for: Self.network)
      .answer(SignInWithPassword(email: "ada@example.com", password: Secret("correct horse")))
    scene.scene.clock.advance(by: 3600)
    await expectRefusal("INVALID_IDP_RESPONSE") { try await signIn(scene, Self.network, "t9") }
  }

  @Test func `ID tokens that are refused count, whatever is wrong with them`() async throws {
    let scene = try scene()
    let backend = scene.scene.backend.backend(for: Self.network)
    func signIn(_ credential: IdentityCredential) async throws(AuthError) {
      _ = try await backend.answer(SignInWithIdp(credential))
    }
    let expired: JSONObject = ["exp": 1]
    await expectRefusal("INVALID_IDP_RESPONSE") { try await signIn(scene.credential("u1", expired)) }
    await expectRefusal("INVALID_IDP_RESPONSE") { try await signIn(IdentityCredential(providerID: "oidc.example")) }
    await expectRefusal("MISSING_OR_INVALID_NONCE") { try await signIn(scene.credential(nonce: "n")) }
    await expectRefusal(Self.tooMany) { try await signIn(scene.credential()) }
  }

  @Test func `tokens that are checked at once do not exceed the limit`() async throws {
    let scene = try scene()
    scene.transport.hold()
    let calls = (1...8).map { number in
      Task {
        do throws(AuthError) {
          try await signIn(scene, Self.network, "t\(number)")
          return ""
        } catch { return error.serverCode ?? "" }
      }
    }
    await scene.transport.waitForRequest(count: 3)
    scene.transport.release()
    var words: [String] = []
    for call in calls { words.append(await call.value) }
    #expect(words.count { $0 == "INVALID_IDP_RESPONSE" } == 3 && words.count { $0 == Self.tooMany } == 5)
    #expect(scene.transport.requests.count == 3)
  }

  @Test func `identities that are accepted, and a provider that does not answer, do not count`() async throws {
    let scene = try scene()
    scene.answer(Self.question, "", status: 503)
    for number in 1...5 { await expectRefusal(.networkError) { try await signIn(scene, Self.network, "t\(number)") } }
    scene.answer(Self.question, #"{"active":true,"client_id":"app-1"}"#)
    scene.answer("https://opaque.example/userinfo", #"{"sub":"u9"}"#)
    for number in 1...5 { try await signIn(scene, Self.network, "t\(number)") }
  }
}
