import Foundation
import GatehouseHTTP
import GatehouseLocal
import GatehouseServer
import Testing

/// Header fields that a request may have once. Of two fields, two readers could use different ones.
struct SingleFieldTests {
  private static let names = [
    "Host", "Origin", "Referer", "Sec-Fetch-Site", "Authorization", "X-Goog-Api-Key", "X-Gatehouse-Device",
    "Content-Type", "Content-Encoding", "X-Firebase-Locale", "Access-Control-Request-Headers",
    "Access-Control-Request-Private-Network",
  ]

  /// Values that the server takes when they come alone.
  private static func values(of name: String) -> (first: String, second: String) {
    switch name {
    case "Host": ("localhost:9099", "evil.example")
    case "Origin", "Referer": ("http://localhost", "https://evil.example")
    case "Sec-Fetch-Site": ("same-origin", "cross-site")
    case "Authorization": ("Bearer owner", "Bearer other")
    case "Content-Type": ("application/json", "application/x-www-form-urlencoded")
    case "Content-Encoding": ("identity", "gzip")
    default: ("true", "false")
    }
  }

  @Test(arguments: names, [true, false])
  func `a field that may be there once is refused if it is there twice`(_ name: String, isEmulator: Bool) async {
    let scene = ServerScene(isEmulator: isEmulator)
    let (first, second) = Self.values(of: name)
    for (method, path, body) in [
      ("POST", "/v1/accounts:signUp?key=k", "{}"), ("GET", "/v1/projects?key=k", ""), ("GET", "/healthz", ""),
      ("OPTIONS", "/v1/accounts:signUp", ""), ("GET", "/nothing", ""),
    ] {
      for values in [[first, second], [second, first], [first, first]] {
        let fields = zip([name, name.lowercased()], values).map { TransportHeaders.Field($0, $1) }
        var headers = TransportHeaders(fields)
        if name != "Origin" { headers.add("Origin", "http://localhost") }
        let reply = await scene.send(ServerRequest(method, path, headers: headers, body: Array(body.utf8)))
        #expect(reply.status == 400, "\(method) \(path) \(values): \(reply.status)")
        #expect(reply.message == "the request has the header field \(name) several times; send one")
        #expect(reply.response.headers["Access-Control-Allow-Origin"] == nil, "no page reads the answer")
      }
    }
    let twice = TransportHeaders([.init(name, first), .init(name, first)])
    let long = ServerRequest("POST", "/v1/projects/local/accounts:batchCreate", headers: twice)
    #expect(await scene.server.bodyLength(of: long) == nil, "an import's long body is for one administrator")
  }

  /// Also where another program than `HTTPServer` has read the request.
  @Test(arguments: names + ["X-Other"])
  func `a field that takes long to compare is refused`(_ name: String) async {
    let value = "x" + String(repeating: "\u{301}", count: 31)
    let request = ServerRequest("POST", "/v1/accounts:signUp?key=k", headers: [name: value], body: Array("{}".utf8))
    let reply = await ServerScene().send(request)
    #expect(reply.status == 400 && reply.message?.contains("combining marks") == true)
  }

  /// A proxy may add a line of its own instead of adding to the client's (RFC 9110 §5.3).
  @Test func `lines of X-Forwarded-For are one list, of which the last entry is the proxy's`() async {
    let scene = ServerScene {
      $0.signUpThrottle = Throttle(attempts: 1, window: .seconds(3600))
    } options: {
      $0.trustedProxies = .count(1)
    }
    func signUp(_ lines: [String]) async -> Int {
      let headers = TransportHeaders(lines.map { .init("X-Forwarded-For", $0) })
      let request = ServerRequest(
        "POST", "/v1/accounts:signUp?key=k", headers: headers, body: Array("{}".utf8), peer: "10.0.0.1")
      return await scene.send(request).status
    }
    #expect(await signUp(["198.51.100.1", "192.0.2.1"]) == 200)
    #expect(await signUp(["198.51.100.2", "192.0.2.1"]) == 400, "what the client says of itself is not counted")
    #expect(await signUp(["192.0.2.1"]) == 400)
    #expect(await signUp(["192.0.2.1", "198.51.100.1"]) == 200)
  }

  /// A new field of requests gets a case of the server's list of single fields, or is read with all its lines.
  @Test func `the server reads no field of a request by its name alone`() throws {
    let sources = URL(filePath: #filePath).appending(path: "../../../../Sources/Provider/GatehouseServer").standardized
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    var count = 0
    for case let file as URL in try #require(files) where file.pathExtension == "swift" {
      // There the requests are SwiftNIO's.
      if file.path.contains("/HTTP/") { continue }
      count += 1
      let text = try String(contentsOf: file, encoding: .utf8)
      for line in text.split(separator: "\n") where line.contains(/[Hh]eaders\[[^\]]*\](?! =)/) {
        #expect(line.contains("response.headers["), "\(line)")
      }
    }
    #expect(count > 50)
  }
}
