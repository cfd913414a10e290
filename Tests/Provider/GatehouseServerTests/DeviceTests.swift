import GatehouseBase
import GatehouseHTTP
import GatehouseLocal
import GatehouseREST
import GatehouseServer
import IdentityToolkit
import Testing

/// The cookie of a client's device over HTTP.
struct DeviceTests {
  private let name = "X-Gatehouse-Device"

  private func signIn(
    _ scene: ServerScene, _ device: String? = nil, from peer: String, _ password: String = "correct horse"
  ) async -> Reply {
    var request = ServerRequest(
      "POST", "/v1/accounts:signInWithPassword?key=k",
      body: Array(#"{"email":"ada@example.com","password":"\#(password)"}"#.utf8), peer: peer)
    if let device { request.headers[name] = device }
    return await scene.send(request)
  }

  @Test func `a client that keeps a cookie gets one, and others do not lock it out`() async throws {
    let scene = ServerScene { $0.throttle.attempts = 3 }
    _ = await scene.signUp()
    #expect(await signIn(scene, from: "198.51.100.1").response.headers[name] == nil)
    let cookie = try #require(await signIn(scene, "new", from: "198.51.100.1").response.headers[name])
    #expect(cookie.utf8.count == 43)
    #expect(await signIn(scene, cookie, from: "198.51.100.1").response.headers[name] == nil, "it is known")
    for number in 1...3 { _ = await signIn(scene, from: "192.0.2.\(number)", "wrong horse") }
    for device in [nil, "new", "a b", String(repeating: "a", count: 1000)] {
      #expect(await signIn(scene, device, from: "203.0.113.1").message?.hasPrefix("TOO_MANY") == true)
    }
    #expect(await signIn(scene, cookie, from: "203.0.113.1").status == 200)
  }

  @Test func `a cookie that has ended is replaced, and one of another account is no help`() async throws {
    let scene = ServerScene()
    let user = await scene.signUp()
    let cookie = try #require(await signIn(scene, "new", from: "198.51.100.1").response.headers[name])
    _ = await scene.post("/gatehouse/v1/sessions:revoke", #"{"idToken":"\#(user.idToken)"}"#)
    let next = try #require(await signIn(scene, cookie, from: "198.51.100.1").response.headers[name])
    #expect(next != cookie)
    let other = await scene.post(
      "/v1/accounts:signUp", #"{"email":"bob@example.com","password":"correct horse"}"#, headers: [name: next])
    #expect(other.response.headers[name] != nil)
  }

  @Test func `the REST client keeps the cookie, and sends it with every call`() async throws {
    let scene = ServerScene { $0.throttle.attempts = 3 }
    let client = RESTBackend(scene)
    #expect(client.device == nil)
    _ = try await client.answer(SignUp(email: "ada@example.com", password: Secret("correct horse")))
    let device = try #require(client.device)
    for number in 1...3 { _ = await signIn(scene, from: "192.0.2.\(number)", "wrong horse") }
    let call = SignInWithPassword(email: "ada@example.com", password: Secret("correct horse"))
    await #expect(throws: AuthError.self) { try await RESTBackend(scene).answer(call) }
    _ = try await client.answer(call)
    #expect(client.device == device)
    _ = try await RESTBackend(scene) { $0.device = device }.answer(call)
    // A file that holds something else costs nothing but the device.
    let damaged = RESTBackend(scene) { $0.device = Secret("a\r\nb") }
    #expect(damaged.device == nil)
    await #expect(throws: AuthError.self) { try await damaged.answer(call) }
  }

  @Test func `an emulator gets no cookie of another server`() throws {
    let elsewhere = RESTBackend(ServerScene()) { $0.device = Secret("cookie") }
    try elsewhere.useEmulator(withHost: "localhost", port: 9099)
    #expect(elsewhere.device == nil)
  }
}
