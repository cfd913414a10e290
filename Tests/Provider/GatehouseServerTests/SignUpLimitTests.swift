import GatehouseLocal
import GatehouseServer
import Testing

/// The limit of sign-ups of one network, and whose network that is behind proxies.
struct SignUpLimitTests {
  private func scene(_ proxies: TrustedProxies) -> ServerScene {
    ServerScene {
      $0.signUpThrottle = Throttle(attempts: 2, window: .seconds(3600))
    } options: {
      $0.trustedProxies = proxies
    }
  }

  /// The statuses of three sign-ups.
  private func signUp(_ scene: ServerScene, from peer: String?, for client: String? = nil) async -> [Int] {
    var statuses: [Int] = []
    for _ in 1...3 {
      var request = ServerRequest("POST", "/v1/accounts:signUp?key=k", body: Array("{}".utf8), peer: peer)
      request.headers["X-Forwarded-For"] = client
      statuses.append(await scene.send(request).status)
    }
    return statuses
  }

  private let allowed = [200, 200, 200]
  private let limited = [200, 200, 400]

  @Test func `the third sign-up of a network is refused, and those of this machine are not`() async {
    let scene = scene(.none)
    #expect(await signUp(scene, from: "192.0.2.1") == limited)
    #expect(await signUp(scene, from: "2001:db8::1") == limited)
    for peer in ["127.0.0.1", "::1", nil] { #expect(await signUp(scene, from: peer) == allowed) }
  }

  @Test func `behind a trusted proxy the client counts that it names, and without one nothing does`() async throws {
    let cases: [(TrustedProxies, proxy: String?)] = [
      (.count(1), "10.0.0.1"), (try .networks(["10.0.0.0/8"]), "10.0.0.1"), (.count(1), nil),
    ]
    for (proxies, proxy) in cases {
      let scene = scene(proxies)
      #expect(await signUp(scene, from: proxy, for: "192.0.2.1") == limited)
      #expect(await signUp(scene, from: proxy, for: "192.0.2.2") == limited)
      #expect(await signUp(scene, from: proxy) == allowed)
      #expect(await signUp(scene, from: proxy, for: "unknown") == allowed)
    }
  }

  @Test func `what a client says of itself makes no other client of it`() async throws {
    let scene = scene(try .networks(["10.0.0.0/8"]))
    var refused: [Int] = []
    for number in 1...3 {
      refused = await signUp(scene, from: "192.0.2.1", for: "198.51.100.\(number), 10.0.0.1")
    }
    #expect(refused == [400, 400, 400])
  }

  /// The words with which three calls of one network are refused.
  private func ask(
    _ scene: ServerScene, _ path: String, _ body: String, from peer: String = "192.0.2.1"
  ) async -> [String?] {
    var words: [String?] = []
    for _ in 1...3 {
      let request = ServerRequest("POST", "\(path)?key=k", body: Array(body.utf8), peer: peer)
      words.append(await scene.send(request).message.map { String($0.prefix { $0 != " " }) })
    }
    return words
  }

  private let counted = ["EMAIL_EXISTS", "EMAIL_EXISTS", "TOO_MANY_ATTEMPTS_TRY_LATER"]

  @Test func `a refusal that tells of an account counts like a sign-up`() async {
    let taken = #""email":"ada@example.com","password":"correct horse""#
    let scene = scene(.none)
    _ = await scene.signUp()
    #expect(await ask(scene, "/v1/accounts:signUp", "{\(taken)}") == counted)
    let free = #"{"email":"bob@example.com","password":"correct horse"}"#
    #expect(await ask(scene, "/v1/accounts:signUp", free) == [String](repeating: counted[2], count: 3))
    for path in ["/v1/accounts:signUp", "/v1/accounts:update"] {
      let scene = self.scene(.none)
      _ = await scene.signUp()
      let anonymous = await scene.post("/v1/accounts:signUp", "{}")
      #expect(await ask(scene, path, #"{"idToken":"\#(anonymous.idToken)",\#(taken)}"#) == counted)
      let refused = await ask(
        scene, path, #"{"idToken":"\#(anonymous.idToken)","email":"bob@example.com","password":"correct horse"}"#)
      #expect(refused[0] == counted[2], "an address that is free is refused like one that is taken")
    }
  }

  @Test func `an address without a password is refused before it is looked up`() async {
    let scene = scene(.none)
    _ = await scene.signUp()
    let anonymous = await scene.post("/v1/accounts:signUp", "{}")
    for email in ["ada@example.com", "bob@example.com"] {
      let words = await ask(
        scene, "/v1/accounts:update", #"{"idToken":"\#(anonymous.idToken)","email":"\#(email)"}"#, from: "192.0.2.9")
      #expect(words == ["MISSING_PASSWORD", "MISSING_PASSWORD", "MISSING_PASSWORD"])
    }
  }
}
