import GatehouseBase
import GatehouseHTTP
import GatehouseLocal
import GatehouseTesting
import IdentityToolkit
import Testing

/// Sign-in with opaque access tokens, through each provider's endpoints.
struct AccessTokenIdentityTests {
  private static let gitHub = "https://api.example/applications/app-1/token"

  @Test func `GitHub's token signs in once GitHub says that it is this app's`() async throws {
    let scene = try IdentityScene()
    scene.answer(Self.gitHub, #"{"app":{"client_id":"app-1"}}"#)
    scene.answer("https://api.example/user", #"{"id":583231,"login":"ada","name":"Ada","avatar_url":"p","email":null}"#)
    let answer = try await scene.signIn(scene.accessToken("github.com"))
    #expect(answer.screenName == "ada" && answer.displayName == "Ada" && answer.photoUrl == "p")
    #expect(answer.rawUserInfo?.revealed.contains("583231") == true)
    let account = try await scene.scene.lookUp(#require(answer.idToken))
    #expect(account.providerUserInfo?.first?.rawId == "583231")
    let requests = scene.transport.requests
    #expect(requests.map(\.url) == [Self.gitHub, "https://api.example/user"])
    #expect(requests[0].headers["Authorization"] == "Basic \(Base64.encode(Array("app-1:s3cret".utf8)))")
    #expect(requests[0].body.map { String(decoding: $0, as: UTF8.self) } == #"{"access_token":"opaque"}"#)
    #expect(requests[1].headers["Authorization"] == "Bearer opaque")
  }

  @Test func `a token of another app is refused, and nothing is asked with it`() async throws {
    let scene = try IdentityScene()
    scene.answer(Self.gitHub, #"{"app":{"client_id":"another"}}"#)
    await expectRefusal("INVALID_IDP_RESPONSE") { try await scene.signIn(scene.accessToken("github.com")) }
    scene.answer(Self.gitHub, "{}", status: 404)
    await expectRefusal("INVALID_IDP_RESPONSE") { try await scene.signIn(scene.accessToken("github.com")) }
    #expect(scene.transport.requests.allSatisfy { $0.url == Self.gitHub })
  }

  @Test(arguments: [
    #"{"data":{"is_valid":true,"app_id":"another"}}"#, #"{"data":{"is_valid":false,"app_id":"app-1"}}"#, "{}", "[]",
  ])
  func `Facebook's token is refused unless it is valid and this app's`(answer: String) async throws {
    let scene = try IdentityScene()
    let check = "https://graph.example/debug_token?input_token=opaque&access_token=app-1%7Cs3cret"
    scene.answer(check, answer)
    await expectRefusal("INVALID_IDP_RESPONSE") { try await scene.signIn(scene.accessToken("facebook.com")) }
    scene.answer(check, #"{"data":{"is_valid":true,"app_id":"app-1"}}"#)
    scene.answer(
      "https://graph.example/me?fields=id,name,email", #"{"id":"42","name":"Ada","email":"ada@example.com"}"#)
    let good = try await scene.signIn(scene.accessToken("facebook.com"))
    #expect(good.email == "ada@example.com" && good.emailVerified == false)
  }

  @Test(arguments: [
    #"{"active":false,"client_id":"app-1"}"#, #"{"active":true,"client_id":"another"}"#, #"{"active":true}"#,
  ])
  func `an introspection must name this client`(answer: String) async throws {
    let scene = try IdentityScene()
    scene.answer("https://opaque.example/introspect", answer)
    await expectRefusal("INVALID_IDP_RESPONSE") { try await scene.signIn(scene.accessToken("oidc.opaque")) }
    scene.answer("https://opaque.example/introspect", #"{"active":true,"client_id":"app-1"}"#)
    scene.answer("https://opaque.example/userinfo", #"{"sub":"u9","preferred_username":"ada"}"#)
    #expect(try await scene.signIn(scene.accessToken("oidc.opaque")).screenName == "ada")
  }

  @Test func `X's question is signed with the app's key`() async throws {
    let scene = try IdentityScene()
    let url = "https://x.example/1.1/account/verify_credentials.json?include_email=true"
    scene.answer(url, #"{"id_str":"99","screen_name":"ada"}"#)
    var credential = scene.accessToken("twitter.com", "token")
    await expectRefusal("INVALID_IDP_RESPONSE") { try await scene.signIn(credential) }
    credential.secret = Secret("token secret")
    #expect(try await scene.signIn(credential).screenName == "ada")
    let header = try #require(scene.transport.requests.last?.headers["Authorization"])
    #expect(header.hasPrefix("OAuth oauth_consumer_key=\"app-1\", oauth_nonce="))
    #expect(header.contains("oauth_signature=") && !header.contains("secret"))
  }

  @Test func `a provider that fails is no refusal of the token`() async throws {
    let scene = try IdentityScene()
    scene.answer(Self.gitHub, "{}", status: 502)
    await expectRefusal(.networkError) { try await scene.signIn(scene.accessToken("github.com")) }
  }

  @Test(arguments: ["a b", "a\r\nX: y", "", "\u{E9}"])
  func `what cannot stand in a header is not sent`(token: String) async throws {
    let scene = try IdentityScene()
    await expectRefusal("INVALID_IDP_RESPONSE") { try await scene.signIn(scene.accessToken("github.com", token)) }
    #expect(scene.transport.requests.isEmpty)
  }
}
