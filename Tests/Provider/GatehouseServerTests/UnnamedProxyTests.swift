import GatehouseBase
import GatehouseLocal
import GatehouseServer
import TestSupport
import Testing

/// A proxy that the owner has not named: all its clients are one, so that a share for one would be refused to all.
struct UnnamedProxyTests {
  private static let named = try! TrustedProxies.networks(["10.9.0.0/16"])

  private func request(from peer: String, _ field: String?) -> ServerRequest {
    var request = ServerRequest("POST", "/v1/accounts:signUp?key=k", body: Array("{}".utf8), peer: peer)
    if let field { request.headers.add(field, field == "Forwarded" ? "for=192.0.2.9" : "192.0.2.9") }
    return request
  }

  @Test(
    arguments: [
      ("10.1.2.3", "X-Forwarded-For", true), ("172.31.0.1", "x-forwarded-for", true),
      ("192.168.0.1", "Forwarded", true), ("fd00::1", "Forwarded", true), ("127.0.0.1", "X-Forwarded-For", true),
      ("10.1.2.3", nil, false), ("172.32.0.1", "X-Forwarded-For", false), ("11.1.2.3", "X-Forwarded-For", false),
      ("192.169.0.1", "Forwarded", false), ("2001:db8::1", "Forwarded", false), ("fe00::1", "Forwarded", false),
    ] as [(String, String?, Bool)])
  func `a proxy is presumed at a private address that sends a proxy's field, and a client at no other`(
    peer: String, field: String?, isPresumed: Bool
  ) async throws {
    let scene = ServerScene { $0.signUpThrottle = Throttle(attempts: 2, window: .seconds(3600)) }
    let request = request(from: peer, field)
    #expect(scene.server.networks(of: request).isEmpty == isPresumed)
    var statuses: [Int] = []
    for _ in 1...3 { statuses.append(await scene.send(request).status) }
    #expect(statuses == (isPresumed ? [200, 200, 200] : [200, 200, 400]))
    let address = try #require(NetworkAddress(peer))
    #expect(scene.server.isShared(address) == isPresumed, "its connections have no limit of a network either")
  }

  @Test func `no proxy is presumed beside named ones`() async throws {
    let scene = ServerScene(options: { $0.trustedProxies = Self.named })
    let request = request(from: "10.1.2.3", "X-Forwarded-For")
    _ = await scene.send(request)
    #expect(scene.server.networks(of: request).count == 1)
    #expect(scene.server.isShared(try #require(NetworkAddress("10.1.2.3"))) == false)
  }

  @Test func `the client that a named proxy names has the share, and this machine has none`() throws {
    let server = ServerScene(options: { $0.trustedProxies = Self.named }).server
    func networks(_ peer: String, _ field: String? = nil) -> [[UInt8]] {
      server.networks(of: request(from: peer, field)).map(\.prefix)
    }
    #expect(networks("10.9.0.1", "X-Forwarded-For") == [[192, 0, 2, 9]])
    #expect(networks("10.9.0.1") == [], "it names none")
    #expect(networks("198.51.100.1", "X-Forwarded-For") == [[198, 51, 100, 1]])
    #expect(networks("127.0.0.1") == [] && networks("::1") == [])
    #expect(networks("2001:db8::1").map(\.count) == [8, 7, 6])
  }

  @Test func `a wrong password counts for the network of a presumed proxy`() async throws {
    let scene = ServerScene { $0.addressThrottle = Throttle(attempts: 2, window: .seconds(3600)) }
    var words: [String?] = []
    for number in 1...3 {
      var request = request(from: "10.1.2.3", "X-Forwarded-For")
      request.path = "/v1/accounts:signInWithPassword"
      request.body = Array(#"{"email":"u\#(number)@example.com","password":"wrong horse"}"#.utf8)
      words.append(await scene.send(request).message.map { String($0.prefix { $0 != " " }) })
    }
    #expect(words == ["INVALID_LOGIN_CREDENTIALS", "INVALID_LOGIN_CREDENTIALS", "TOO_MANY_ATTEMPTS_TRY_LATER"])
  }
}
