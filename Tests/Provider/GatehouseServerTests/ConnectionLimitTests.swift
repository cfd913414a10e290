import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import GatehouseServer
import HangGuard
import Logging
import TestSupport
import Testing

/// Connections that clients hold, and too many of them.
@Suite(.endsIfItHangs) struct ConnectionLimitTests {
  private func serving(
    _ handler: any RequestHandler, _ change: (inout HTTPLimits) -> Void,
    metrics: PrometheusMetrics = PrometheusMetrics(), log lines: LogLines = LogLines(),
    _ work: (ServerAddress) async throws -> Void
  ) async throws {
    var limits = HTTPLimits()
    change(&limits)
    let server = HTTPServer(
      handler, limits: limits, metrics: metrics, logger: Logger(label: "test") { _ in lines })
    let address = try await server.start()
    do { try await work(address) } catch {
      try await server.stop()
      throw error
    }
    try await server.stop()
  }

  private static let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
  private static let last = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

  /// A connection that was answered and is still open.
  private func open(_ address: ServerAddress, from source: UInt32 = 1) throws -> Connection {
    let connection = try Connection(to: address, from: source)
    connection.send(Self.request)
    guard connection.read(until: "\r\n\r\n")?.hasPrefix("HTTP/1.1 200 ") == true else {
      throw Connection.Failure(call: "GET")
    }
    return connection
  }

  /// The whole answer on a new connection.
  private func answer(at address: ServerAddress, from source: UInt32 = 1) throws -> String {
    let connection = try Connection(to: address, from: source)
    connection.send(Self.last)
    return connection.readToEnd() ?? "none"
  }

  // MARK: Time

  @Test func `a client that pipelines and takes no response loses its connection`() async throws {
    try await serving(LongAnswers(), { $0.responseTime = .milliseconds(50) }) { address in
      let received = try await onThread {
        let connection = try Connection(to: address)
        while connection.send(String(repeating: Self.request, count: 100)) {}
        return connection.readToEnd()
      }
      #expect(received != nil)
    }
  }

  @Test func `a client that sends more after its last request, and does not close, loses its connection`() async throws
  {
    try await serving(LongAnswers(length: 1), { $0.responseTime = .milliseconds(50) }) { address in
      let received = try await onThread {
        let connection = try Connection(to: address)
        connection.send(Self.last + Self.request)
        let received = connection.readToEnd()
        while connection.send(String(repeating: Self.request, count: 100)) {}
        return received
      }
      #expect(received?.hasPrefix("HTTP/1.1 200 OK\r\n") == true)
    }
  }

  @Test func `long bodies that are held have a limit together, and short ones are always read`() async throws {
    try await serving(LongAnswers(length: 1), { $0.bodiesLength = 133_333 }) { address in
      try await onThread {
        func post(_ length: Int) throws -> String {
          let connection = try Connection(to: address)
          connection.send(Self.post(length) + String(repeating: "a", count: length))
          return String(connection.readToEnd()?.prefix(12) ?? "none")
        }
        #expect(try post(100_001) == "HTTP/1.1 503", "a quarter is for imports")
        func hold() throws -> Connection {
          let held = try Connection(to: address)
          held.send(Self.post(90_000) + String(repeating: "a", count: 89_999))
          return held
        }
        var held = try hold()
        while try post(50_000) != "HTTP/1.1 503" {
          if held.hasNews { held = try hold() }  // it was the one that did not fit
        }
        #expect(try post(16 << 10) == "HTTP/1.1 200")
        held.send("a")
        #expect(held.readToEnd()?.hasPrefix("HTTP/1.1 200") == true)
        #expect(try post(100_000) == "HTTP/1.1 200", "the budget is whole again")
      }
    }
  }

  /// Answers like another handler, and gives one path longer bodies, as an administrator has them.
  private struct Importing: RequestHandler {
    func answer(_ request: ServerRequest) async -> ServerResponse { await LongAnswers(length: 1).answer(request) }
    func bodyLength(of request: ServerRequest) async -> Int? { request.path == "/import" ? 200_000 : nil }
  }

  @Test func `an import is read while the bodies of others use up their part`() async throws {
    try await serving(Importing(), { $0.bodiesLength = 400_000 }) { address in
      try await onThread {
        func post(_ length: Int, _ path: String) throws -> String {
          let connection = try Connection(to: address)
          connection.send(Self.post(length, path) + String(repeating: "a", count: length))
          return String(connection.readToEnd()?.prefix(12) ?? "none")
        }
        #expect(try post(300_001, "/") == "HTTP/1.1 503")
        func hold() throws -> Connection {
          let held = try Connection(to: address)
          held.send(Self.post(290_000) + String(repeating: "a", count: 289_999))
          return held
        }
        var held = try hold()
        while try post(20_000, "/") != "HTTP/1.1 503" {
          if held.hasNews { held = try hold() }  // it was the one that did not fit
        }
        #expect(try post(90_000, "/import") == "HTTP/1.1 200")
        #expect(try post(150_000, "/import") == "HTTP/1.1 503")
        held.send("a")
        #expect(held.readToEnd()?.hasPrefix("HTTP/1.1 200") == true)
        #expect(try post(150_000, "/import") == "HTTP/1.1 200", "more than the reserve")
      }
    }
  }

  @Test func `a long body that comes slowly loses its room to another network's`() async throws {
    try await serving(LongAnswers(length: 1, isShared: false), { $0.bodiesLength = 133_333 }) { address in
      try await onThread {
        func post(from source: UInt32) throws -> String {
          let connection = try Connection(to: address, from: source)
          connection.send(Self.post(50_000) + String(repeating: "a", count: 50_000))
          return String(connection.readToEnd()?.prefix(12) ?? "none")
        }
        func hold() throws -> Connection {
          let held = try Connection(to: address)
          held.send(Self.post(90_000) + String(repeating: "a", count: 89_999))
          return held
        }
        var slow = try hold()
        while try post(from: 1) != "HTTP/1.1 503" {
          if slow.hasNews { slow = try hold() }  // it was the one that did not fit
        }
        #expect(!slow.hasNews)
        #expect(try post(from: 2) == "HTTP/1.1 200")
        #expect(slow.readToEnd() == "", "its connection is closed")
      }
    }
  }

  private static func post(_ length: Int, _ path: String = "/") -> String {
    "POST \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: \(length)\r\n\r\n"
  }

  @Test func `a response that is taken in time comes whole`() async throws {
    try await serving(LongAnswers(), { $0.responseTime = .seconds(60) }) { address in
      let received = try await onThread { try answer(at: address) }
      #expect(received.utf8.count > LongAnswers.length)
    }
  }

  // MARK: Number

  @Test func `connections above the limit are refused with an answer, and others are taken when some have ended`()
    async throws
  {
    let metrics = PrometheusMetrics(), lines = LogLines()
    try await serving(ServerScene().server, { $0.connections = 2 }, metrics: metrics, log: lines) { address in
      let (refused, later) = try await onThread {
        let first = try open(address)
        let refused = try withExtendedLifetime(open(address)) { try (1...3).map { _ in try answer(at: address) } }
        // The second one is closed, and the server will notice.
        while try answer(at: address).hasPrefix("HTTP/1.1 503 ") {}
        first.send(Self.request)
        return (refused, first.read(until: #"{"status":"ok"}"#))
      }
      for answer in refused {
        #expect(answer.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
        #expect(answer.contains("Connection: close\r\n") && answer.contains("Retry-After: 1\r\n"))
        #expect(answer.contains(#""code":503"#))
      }
      #expect(later != nil)
    }
    // The ends are counted by the connections' threads.
    while !metrics.text().contains("gatehouse_http_connections 0.0\n") { await Task.yield() }
    #expect(metrics.text().contains(/gatehouse_http_refused_connections_total [1-9]/))
    #expect(lines.all.count { $0.contains("connections are refused: there may be 2 at once") } == 1)
  }

  @Test func `one network has a limit of its own, and others are taken`() async throws {
    try await serving(
      LongAnswers(length: 1, isShared: false), { ($0.connections, $0.connectionsPerNetwork) = (100, 2) }
    ) { address in
      let (same, other) = try await onThread {
        let first = try open(address)
        let answers = try withExtendedLifetime(open(address)) {
          (try answer(at: address), try answer(at: address, from: 2))
        }
        while try answer(at: address).hasPrefix("HTTP/1.1 503 ") {}
        return withExtendedLifetime(first) { answers }
      }
      #expect(same.hasPrefix("HTTP/1.1 503 ") && other.hasPrefix("HTTP/1.1 200 "))
    }
  }

  @Test func `one network has a quarter of all connections at most`() async throws {
    try await serving(LongAnswers(length: 1, isShared: false), { $0.connections = 4 }) { address in
      let (same, other) = try await onThread {
        try withExtendedLifetime(open(address)) { (try answer(at: address), try answer(at: address, from: 2)) }
      }
      #expect(same.hasPrefix("HTTP/1.1 503 ") && other.hasPrefix("HTTP/1.1 200 "))
    }
  }

  @Test func `the networks of one IPv6 site have limits together, and none has more than a quarter`() throws {
    for (perNetwork, limits) in [(2, [2, 8, 32]), (20, [20, 80, 100]), (1000, [100, 100, 100])] {
      var settings = HTTPLimits()
      (settings.connections, settings.connectionsPerNetwork) = (400, perNetwork)
      let connections = OpenConnections(
        .init(settings, descriptors: 10_000, cores: 1), PrometheusMetrics(), Logger(label: "test") { _ in LogLines() })
      func networks(_ number: Int, _ bits: Int) throws -> [NetworkAddress.Network] {
        // Another network of 64 bits each time, within the same 64, 56 or 48 bits.
        let address = [64: "2001:db8:0:0::1", 56: "2001:db8:1:", 48: "2001:db8:2:"][bits] ?? ""
        let last = String(bits == 56 ? number : number * 256, radix: 16)
        let text = bits == 64 ? address : "\(address)\(last)::1"
        return try #require(NetworkAddress(text)).networks
      }
      for (bits, limit) in zip([64, 56, 48], limits) {
        var admitted = 0
        while try connections.admit(networks(admitted, bits)) == .admitted, admitted < 400 { admitted += 1 }
        #expect(admitted == limit, "\(bits) bits, \(perNetwork) of 64")
        for number in 0..<admitted { connections.leave(.admitted, try networks(number, bits)) }
        #expect(try connections.admit(networks(0, bits)) == .admitted, "there is room again")
        connections.leave(.admitted, try networks(0, bits))
      }
    }
  }

  @Test(
    arguments: [
      (TrustedProxies.none, "192.0.2.1", false), (.none, "127.0.0.9", true), (.none, "::1", true),
      (.none, "::ffff:127.0.0.1", true), (.none, "::2", false), (.count(1), "192.0.2.1", true),
      (try! .networks(["10.0.0.0/8"]), "10.1.2.3", true), (try! .networks(["10.0.0.0/8"]), "192.0.2.1", false),
    ] as [(TrustedProxies, String, Bool)])
  func `this machine and trusted proxies carry many clients`(
    proxies: TrustedProxies, address: String, isShared: Bool
  ) throws {
    let scene = ServerScene(options: { $0.trustedProxies = proxies })
    let address = try #require(NetworkAddress(address))
    #expect(scene.server.isShared(address) == isShared)
  }
}

/// Answers every request with 200 and a long body.
private final class LongAnswers: PlacedHandler {
  static let length = 1 << 20

  private let body: [UInt8]
  private let isShared: Bool
  private let queue = BackgroundQueue(label: "test.handler", width: 1)
  var executor: any TaskExecutor { queue.executor }

  init(length: Int = length, isShared: Bool = true) {
    body = [UInt8](repeating: UInt8(ascii: "x"), count: length)
    self.isShared = isShared
  }

  func isShared(_ address: NetworkAddress) -> Bool { isShared }
  func answer(_ request: ServerRequest) async -> ServerResponse { ServerResponse(status: 200, body: body) }
}
