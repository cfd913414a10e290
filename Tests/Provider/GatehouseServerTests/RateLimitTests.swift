import GatehouseServer
import GatehouseTesting
import Logging
import TestSupport
import Testing

struct RateLimitTests {
  private let clock = ManualClocks()

  private func scene(_ limit: RateLimit, _ proxies: TrustedProxies = .none) -> ServerScene {
    ServerScene(options: { options in
      options.rateLimit = limit
      options.trustedProxies = proxies
      options.clocks = clock
    })
  }

  private func get(_ scene: ServerScene, from peer: String?, for client: String? = nil) async -> Reply {
    var request = ServerRequest("GET", "/.well-known/openid-configuration", peer: peer)
    request.headers["Host"] = "id.example.com"
    request.headers["X-Forwarded-For"] = client
    return await scene.send(request)
  }

  @Test func `an address beyond its rate is told when to come again, and others are answered`() async {
    let scene = scene(RateLimit(requestsPerSecond: 0.5, burst: 2))
    for _ in 1...2 { #expect(await get(scene, from: "192.0.2.1").status == 200) }
    let refused = await get(scene, from: "192.0.2.1")
    #expect(refused.status == 429 && refused.response.headers["Retry-After"] == "2")
    #expect(refused.message?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER : ") == true)
    #expect(refused.json["error"]?["status"] == "RESOURCE_EXHAUSTED" && refused.json["error"]?["code"] == 429)
    #expect(await get(scene, from: "192.0.2.2").status == 200)
    clock.advance(by: 2)
    #expect(await get(scene, from: "192.0.2.1").status == 200)
    #expect(await get(scene, from: "192.0.2.1").status == 429)
    // Silence fills the bucket, and no more than that.
    clock.advance(by: 3600)
    for status in [200, 200, 429] { #expect(await get(scene, from: "192.0.2.1").status == status) }
  }

  @Test func `who asks whether the server is there and ready is not counted`() async {
    let scene = scene(RateLimit(requestsPerSecond: 0.001, burst: 1))
    for path in ["/healthz", "/readyz", "/healthz", "/readyz"] {
      #expect(await scene.send(ServerRequest("GET", path, peer: "192.0.2.1")).status == 200)
    }
    #expect(await get(scene, from: "192.0.2.1").status == 200)
    #expect(await get(scene, from: "192.0.2.1").status == 429)
  }

  @Test func `a preflight is not counted, and answered to an address that has sent too much`() async {
    let scene = scene(RateLimit(requestsPerSecond: 0.001, burst: 1))
    for _ in 1...2 {
      let preflight = ServerRequest(
        "OPTIONS", "/v1/accounts:signUp", headers: ["Origin": "http://localhost"], peer: "192.0.2.1")
      #expect(await scene.send(preflight).status == 204)
    }
    #expect(await get(scene, from: "192.0.2.1").status == 200)
    #expect(await get(scene, from: "192.0.2.1").status == 429)
    #expect(await scene.send(ServerRequest("OPTIONS", "/nothing", peer: "192.0.2.1")).status == 204)
  }

  @Test func `requests that find no route count as well`() async {
    let scene = scene(RateLimit(requestsPerSecond: 1, burst: 1))
    #expect(await scene.send(ServerRequest("GET", "/nothing", peer: "192.0.2.1")).status == 404)
    #expect(await get(scene, from: "192.0.2.1").status == 429)
  }

  @Test func `a network of IPv6 is one client, and IPv4 in IPv6 is IPv4`() async {
    let scene = scene(RateLimit(requestsPerSecond: 1, burst: 1))
    #expect(await get(scene, from: "2001:db8::1").status == 200)
    #expect(await get(scene, from: "2001:db8:0:0:ffff::2").status == 429)
    #expect(await get(scene, from: "2001:db8:0:1::1").status == 200)
    #expect(await get(scene, from: "192.0.2.9").status == 200)
    #expect(await get(scene, from: "::ffff:192.0.2.9").status == 429)
    #expect(await get(scene, from: "::ffff:c000:209").status == 429)
  }

  @Test func `the networks of one IPv6 site have limits together`() async {
    // 56 bits have four times the rate of 64, and 48 bits sixteen times (decision 134).
    let scene = scene(RateLimit(requestsPerSecond: 0.5, burst: 1))
    for network in 0...3 { #expect(await get(scene, from: "2001:db8:0:\(network)::1").status == 200) }
    let refused = await get(scene, from: "2001:db8:0:4::1")
    #expect(refused.status == 429 && refused.response.headers["Retry-After"] == "1", "a fifth of the same 56 bits")
    for home in 1...3 {
      for network in 0...3 { #expect(await get(scene, from: "2001:db8:0:\(home)0\(network)::1").status == 200) }
    }
    #expect(await get(scene, from: "2001:db8:0:ff00::1").status == 429, "a seventeenth of the same 48 bits")
    #expect(await get(scene, from: "2001:db8:1::1").status == 200)
    clock.advance(by: 2)
    for network in 0...3 { #expect(await get(scene, from: "2001:db8:0:\(network)::1").status == 200) }
    #expect(await get(scene, from: "2001:db8:0:4::1").status == 429)
  }

  @Test func `a client whose address is not known has no limit`() async {
    let scene = scene(RateLimit(requestsPerSecond: 0.001, burst: 1))
    for _ in 1...3 { #expect(await get(scene, from: nil).status == 200) }
  }

  @Test func `no more addresses than the limit says are remembered, the latest among them`() async {
    var limit = RateLimit(requestsPerSecond: 0.001, burst: 1)
    limit.addresses = 100
    let scene = scene(limit)
    for third in 0...19 {
      for fourth in 0...9 { #expect(await get(scene, from: "10.0.\(third).\(fourth)").status == 200) }
    }
    // The last fifty are all known, and the first ones forgotten.
    for third in 15...19 {
      for fourth in 0...9 { #expect(await get(scene, from: "10.0.\(third).\(fourth)").status == 429) }
    }
    #expect(await get(scene, from: "10.0.0.0").status == 200)
  }

  @Test(arguments: [.nan, -1, 0, .infinity])
  func `a rate that is no rate neither traps nor lets all through`(rate: Double) async {
    let scene = scene(RateLimit(requestsPerSecond: rate, burst: rate == .infinity ? 1 : nil))
    #expect(await get(scene, from: "192.0.2.1").status == 200)
    _ = await get(scene, from: "192.0.2.1")
  }

  // MARK: Proxies

  @Test(
    arguments: [
      // Nothing is believed by default.
      (TrustedProxies.none, "192.0.2.1", "198.51.100.7", "192.0.2.1"),
      (.count(1), "192.0.2.1", "198.51.100.7", "198.51.100.7"),
      // What is left of the proxy's own entry is the client's invention.
      (.count(1), "192.0.2.1", "203.0.113.9, 198.51.100.7", "198.51.100.7"),
      (.count(2), "192.0.2.1", "203.0.113.9,198.51.100.7 , 192.0.2.5", "198.51.100.7"),
      (.count(2), "192.0.2.1", "198.51.100.7", "198.51.100.7"),
      (.count(1), "192.0.2.1", "198.51.100.7:4711", "198.51.100.7"),
      (.count(1), "192.0.2.1", "[2001:db8::7]:4711", "2001:db8::7"),
      (.count(1), "192.0.2.1", "unknown", "192.0.2.1"), (.count(1), "192.0.2.1", "", "192.0.2.1"),
      (.count(1), "192.0.2.1", "300.1.1.1", "192.0.2.1"), (.count(1), "192.0.2.1", "010.1.1.1", "192.0.2.1"),
      (.count(-1), "192.0.2.1", "198.51.100.7", "192.0.2.1"),
    ] as [(TrustedProxies, String, String, String)])
  func `a client's address is what the nearest proxy that is trusted says`(
    proxies: TrustedProxies, peer: String, field: String, client: String
  ) async {
    await expect(client, of: peer, field, proxies)
  }

  @Test(
    arguments: [
      ("10.1.2.3", "198.51.100.7", "198.51.100.7"), ("10.1.2.3", "203.0.113.9, 198.51.100.7, 10.9.9.9", "198.51.100.7"),
      ("192.0.2.1", "198.51.100.7", "192.0.2.1"), ("10.1.2.3", "10.5.5.5, 10.6.6.6", "10.5.5.5"),
      ("2001:db8:5::1", "198.51.100.7", "198.51.100.7"), ("2001:db9::1", "198.51.100.7", "2001:db9::1"),
      ("::ffff:10.1.2.3", "198.51.100.7", "198.51.100.7"), (nil, "198.51.100.7", "198.51.100.7"),
    ] as [(String?, String, String)])
  func `proxies are known by their networks`(peer: String?, field: String, client: String) async throws {
    await expect(client, of: peer, field, try .networks(["10.0.0.0/8", "2001:db8::/32"]))
  }

  /// One request empties the bucket of the client, and of no other.
  private func expect(_ client: String, of peer: String?, _ field: String, _ proxies: TrustedProxies) async {
    let scene = scene(RateLimit(requestsPerSecond: 0.001, burst: 1), proxies)
    #expect(await get(scene, from: peer, for: field).status == 200)
    // Past all proxies: a connection of the client's own, which says nothing.
    #expect(await get(scene, from: client).status == 429, "another client than \(client) was counted")
  }

  @Test func `a proxy that is not named is told of, once`() async throws {
    let named = try TrustedProxies.networks(["10.0.0.0/8"])
    let cases: [(TrustedProxies, String, Bool)] = [
      (.none, "192.0.2.1", true), (named, "192.0.2.1", true), (named, "10.1.2.3", false),
      (.count(1), "192.0.2.1", false),
    ]
    for (proxies, peer, isTold) in cases {
      let lines = LogLines()
      let scene = ServerScene(options: { options in
        options.trustedProxies = proxies
        options.logger = Logger(label: "test") { _ in lines }
      })
      _ = await get(scene, from: peer)
      #expect(lines.all == [], "a client that says nothing of itself")
      for _ in 1...3 { _ = await get(scene, from: peer, for: "198.51.100.7") }
      #expect(lines.all.count == (isTold ? 1 : 0))
      #expect(lines.all.allSatisfy { $0.contains(peer) && $0.contains("--trusted-proxies") })
    }
  }

  @Test(arguments: ["", "10.0.0.0/33", "10.0.0.1/8", "x", "10.0.0.0/", "10.0.0/8", "1::2::3", "::/129", "10.0.0.0/+8"])
  func `what is no network is refused`(text: String) {
    #expect(throws: AuthError.self) { try TrustedProxies.networks([text]) }
  }
}
