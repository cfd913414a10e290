import GatehouseBase
import GatehouseServer
import HangGuard
import TestSupport
import Testing

/// What HTTP/1.1 asks of a server, at a server's socket.
@Suite(.endsIfItHangs) struct RequestMannersTests {
  /// What comes back for some bytes until the server closes the connection; `nil` if it does not.
  private func received(_ text: String, limits: HTTPLimits = HTTPLimits()) async throws -> String? {
    let server = HTTPServer(ServerScene(options: { $0.apiKeys = ["k"] }).server, limits: limits)
    let address = try await server.start()
    let received = try await onThread {
      let connection = try Connection(to: address)
      return connection.send(text) ? connection.readToEnd() : "reset"
    }
    try await server.stop()
    return received
  }

  private static let signUp = "POST /v1/accounts:signUp?key=k"
  private static let close = "Connection: close\r\n"

  @Test(arguments: ["", "Host: a\r\nHost: b\r\n", "Host: a\r\nhost: a\r\n"])
  func `a request that names no host, or several, is refused`(_ hosts: String) async throws {
    let answer = try await received("\(Self.signUp) HTTP/1.1\r\n\(hosts)\(Self.close)Content-Length: 2\r\n\r\n{}")
    #expect(answer?.hasPrefix("HTTP/1.1 400 ") == true, "\(answer ?? "none")")
  }

  /// RFC 9112 §3.2: a Host that is not a host, and perhaps a port.
  @Test(arguments: [
    "a b", "a/b", "a?b", "a#b", "u@a", "a:b", "a:80:80", "a:123456", ":80", "[::1", "[::1]x", "[::1%25lo]", "::1",
    "[a]", "a,b", "http://a", "\\a", "\"a\"", "a:-1",
  ])
  func `a malformed host is refused`(_ host: String) async throws {
    for version in ["1.1", "1.0"] {
      let fields = "Host: \(host)\r\n\(Self.close)Content-Length: 2\r\n\r\n"
      let answer = try await received("\(Self.signUp) HTTP/\(version)\r\n\(fields){}")
      #expect(
        answer?.hasPrefix("HTTP/1.") == true && answer?.dropFirst(8).hasPrefix(" 400 ") == true, "\(answer ?? "none")")
    }
  }

  @Test(arguments: [
    "", "a", "a:80", "a:", "A.b-c_d.", "127.0.0.1:9099", "[::1]", "[2001:db8::1]:80", "[::ffff:1.2.3.4]",
  ])
  func `a host, and perhaps a port, is a Host`(_ host: String) async throws {
    let fields = "Host: \(host)\r\n\(Self.close)Content-Length: 2\r\n\r\n"
    let answer = try await received("\(Self.signUp) HTTP/1.1\r\n\(fields){}")
    #expect(answer?.hasPrefix("HTTP/1.1 200 ") == true, "\(answer ?? "none")")
  }

  /// Comparing a character with many combining marks takes quadratic time.
  @Test(arguments: ["User-Agent: x§", "Origin: http://x§", "X-Other: é§", "Connection: x§", "Expect: x§"])
  func `a request with more than thirty combining marks in a row is refused`(_ field: String) async throws {
    for count in [30, 31, 4000] {
      let marks = String(repeating: "\u{301}", count: count)
      let text = "GET /healthz HTTP/1.1\r\nHost: a\r\n\(field)\r\n\(Self.close)\r\n"
      let answer = try await received(text.replacing("§", with: marks)) ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 400 ") == (count > 30), "\(count): \(answer)")
    }
  }

  @Test(arguments: [
    ("http://a/healthz", true), ("HTTP://A/healthz", true), ("/healthz", true), ("http://b/healthz", false),
    ("http://a:80/healthz", false), ("http://u@a/healthz", false), ("https://b.example/healthz", false),
    ("x:/healthz", false), ("a/healthz", false),
  ])
  func `a target names no other host than the field does`(_ target: String, isTaken: Bool) async throws {
    let answer = try await received("GET \(target) HTTP/1.1\r\nHost: a\r\n\(Self.close)\r\n") ?? ""
    #expect(answer.hasPrefix("HTTP/1.1 \(isTaken ? 200 : 400) "), "\(answer)")
  }

  /// The parser, or the server, refuses it; `SingleFieldTests` has all fields.
  @Test(arguments: [
    "Content-Length: 2\r\nContent-Length: 3", "Content-Length: 2, 3",
    "Content-Length: 2\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b",
    "Content-Length: 2\r\nOrigin: http://a\r\norigin: http://b",
    "Content-Length: 2\r\nContent-Type: application/json\r\nContent-Type: text/plain",
  ])
  func `a field that may be there once is refused at the socket if it is there twice`(_ fields: String) async throws {
    let answer = try await received("\(Self.signUp) HTTP/1.1\r\nHost: a\r\n\(Self.close)\(fields)\r\n\r\n{}")
    #expect(answer?.hasPrefix("HTTP/1.1 400 ") == true, "\(answer ?? "none")")
  }

  @Test(arguments: ["", "Connection: keep-alive\r\n", "Host: a\r\n"])
  func `a connection of HTTP 1_0 is closed after the answer`(_ fields: String) async throws {
    let answer = try await received("\(Self.signUp) HTTP/1.0\r\n\(fields)Content-Length: 2\r\n\r\n{}")
    #expect(answer?.hasPrefix("HTTP/1.1 200 ") == true, "\(answer ?? "none")")
  }

  @Test(arguments: ["Close", "CLOSE, TE"])
  func `a wish to close is understood in other words`(_ wish: String) async throws {
    let fields = "Host: a\r\nConnection: \(wish)\r\nContent-Length: 2\r\n\r\n"
    let answer = try await received("\(Self.signUp) HTTP/1.1\r\n\(fields){}")
    #expect(answer?.hasPrefix("HTTP/1.1 200 ") == true, "\(answer ?? "none")")
  }

  /// The response tells the client to use another connection for the next request.
  @Test(arguments: ["h2c", "websocket"])
  func `a wish for another protocol is answered, and ends the connection`(_ upgrade: String) async throws {
    let fields = "Host: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: \(upgrade)\r\nContent-Length: 2\r\n\r\n"
    let answer = try await received("\(Self.signUp) HTTP/1.1\r\n\(fields){}") ?? ""
    #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.lowercased().contains("connection: close"), "\(answer)")
    let (half, other) = ("Host: a\r\nUpgrade: \(upgrade)\r\n", "Host: a\r\nConnection: Upgrade\r\n")
    let get = "GET /healthz HTTP/1.1\r\n"
    let both = try await received("\(get)\(half)\r\n\(get)\(other)\r\n\(get)Host: a\r\n\(Self.close)\r\n") ?? ""
    #expect(both.split(separator: "HTTP/1.1 200 ").count == 3, "one half is no wish: \(both)")
  }

  @Test func `a tunnel is refused, and the connection ends`() async throws {
    let answer = try await received("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n") ?? ""
    #expect(answer.hasPrefix("HTTP/1.1 4") && answer.lowercased().contains("connection: close"), "\(answer)")
  }

  @Test(arguments: ["gzip, chunked", "gzip\r\nTransfer-Encoding: chunked", "identity"])
  func `another coding of the transfer than chunks is refused`(_ coding: String) async throws {
    let fields = "Host: a\r\n\(Self.close)Transfer-Encoding: \(coding)\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    let answer = try await received("\(Self.signUp) HTTP/1.1\r\n\(fields)")
    #expect(answer?.hasPrefix("HTTP/1.1 400 ") == true, "\(answer ?? "none")")
  }

  @Test func `who asks before the body is sent is told to go on`() async throws {
    let fields = "Host: a\r\n\(Self.close)Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    let answer = try await received("\(Self.signUp) HTTP/1.1\r\n\(fields){}")
    #expect(answer?.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 ") == true, "\(answer ?? "none")")
  }

  @Test func `no word to go on comes between an answer and its body`() async throws {
    let first = "\(Self.signUp) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"
    let fields = "Host: a\r\n\(Self.close)Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}"
    let answer = try await received("\(first)\(Self.signUp) HTTP/1.1\r\n\(fields)") ?? ""
    #expect(answer.split(separator: "HTTP/1.1 200 ").count == 2 && !answer.contains("100 Continue"), "\(answer)")
  }

  @Test func `a question for the header is answered without the body, and the next one is understood`() async throws {
    let get = "/.well-known/jwks.json HTTP/1.1\r\nHost: a\r\n"
    let answer = try await received("HEAD \(get)\r\nHEAD \(get)\r\nGET \(get)\(Self.close)\r\n") ?? ""
    let parts = answer.split(separator: "\r\n\r\n", omittingEmptySubsequences: false)
    #expect(parts.count == 4 && parts.prefix(3).allSatisfy { $0.hasPrefix("HTTP/1.1 200 ") }, "\(answer)")
    #expect(parts.last?.hasPrefix(#"{"keys""#) == true, "\(answer)")
    let length = try #require(answer.firstMatch(of: /Content-Length: (\d+)/)?.1)
    #expect(parts.prefix(3).allSatisfy { $0.contains("Content-Length: \(length)") }, "the header is that of the GET")
  }

  @Test func `a compressed body is refused for what it is`() async throws {
    for (coding, status) in [("gzip", 415), ("identity", 200)] {
      let fields = "Host: a\r\n\(Self.close)Content-Encoding: \(coding)\r\nContent-Length: 2\r\n\r\n{}"
      let answer = try await received("\(Self.signUp) HTTP/1.1\r\n\(fields)") ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
      #expect(answer.contains("Content-Encoding") == (status == 415), "\(answer)")
    }
  }

  @Test(arguments: ["zz\r\n{}\r\n", "2\r\n{}0"])
  func `a malformed chunk is no request that is too long`(_ chunks: String) async throws {
    let fields = "Host: a\r\n\(Self.close)Transfer-Encoding: chunked\r\n\r\n\(chunks)\r\n\r\n"
    let answer = try await received("\(Self.signUp) HTTP/1.1\r\n\(fields)") ?? ""
    #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
  }

  @Test(.enabled(if: Steps.total != nil, "a release build counts no steps"))
  func `a body of many small chunks is read like one of few`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let count = 20_000
      let chunks = #"{"a":""# + String(repeating: "x", count: count) + #""}"#
      let body = chunks.map { "1\r\n\($0)\r\n" }.joined()
      let fields = "Host: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
      let server = HTTPServer(BodyLength())
      let address = try await server.start()
      let before = Steps.total ?? 0
      let answer = try await onThread {
        let connection = try Connection(to: address)
        connection.send("POST / HTTP/1.1\r\n\(fields)\(body)0\r\n\r\n")
        return connection.readToEnd() ?? ""
      }
      #expect(answer.hasSuffix("\r\n\r\n\(chunks.count)"), "nothing is lost: \(answer)")
      #expect((Steps.total ?? 0) - before < count / 10)
      try await server.stop()
    }
  }

  /// Some clients read no answer before they have sent everything.
  @Test(arguments: ["", Self.close])
  func `a body that is too long can be sent to its end, and the refusal be read`(_ close: String) async throws {
    let body = String(repeating: "x", count: 20_000_000)
    let fields = "Host: a\r\n\(close)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    let answer = try await received("\(Self.signUp) HTTP/1.1\r\n\(fields)") ?? ""
    #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer.prefix(300))")
  }
}

/// Answers every request with the length of its body.
private struct BodyLength: RequestHandler {
  func answer(_ request: ServerRequest) async -> ServerResponse {
    ServerResponse(status: 200, body: Array("\(request.body.count)".utf8))
  }
}
