import GatehouseBase
import GatehouseHTTP
import Testing

struct HTTPTests {
  private static func origin(_ url: String) -> String? {
    guard let origin = try? HTTPOrigin(of: url) else { return nil }
    return "\(origin.isSecure) \(origin.host) \(origin.port)"
  }

  @Test(arguments: [
    ("https://a.example/x?y", "true a.example 443"), ("HTTP://A.Example", "false a.example 80"),
    ("https://a.example:8443?x", "true a.example 8443"), ("http://[::1]:80/", "false ::1 80"),
    ("https://a_b-c.example:1", "true a_b-c.example 1"), ("https://a.example:65535", "true a.example 65535"),
    ("https://a.example/@b", "true a.example 443"), ("https://a.example/:99999", "true a.example 443"),
  ])
  func `an address is read as everybody reads it`(_ url: String, _ origin: String) {
    #expect(Self.origin(url) == origin)
  }

  @Test(arguments: [
    "", "a.example", "//a.example", "ftp://a.example", "https:/a.example", "https://", "https:///x", "https://:80",
    "https://user@a.example", "https://a.example@b.example", "https://a.example\\@b.example", "https://a.example#x",
    "https://a.example/ x", "https://a.example/\r\n", "https://ä.example", "https://a.example/é", "https://a.example:",
    "https://a.example:0", "https://a.example:65536", "https://a.example:-1", "https://a.example:8a",
    "https://a.example:99999999999999999999", "https://[::1", "https://[]", "https://[::1]x", "https://[a]b]",
    "https://.example", "https://a%2e.example", "https://a.example/\0", "https://a.example/{x}", "https://[::g]",
    "https://a.example/" + String(repeating: "x", count: 8192),
  ])
  func `an address that somebody may read otherwise is refused`(_ url: String) {
    let error = #expect(throws: AuthError.self) { try HTTPOrigin(of: url) }
    #expect(error?.code == .invalidArgument)
  }

  @Test(arguments: [
    "https://user@a.example", "https://user:hush@a.example:443/x", "https://:hush@a.example", "https://@b",
  ])
  func `a URL with a password is refused for that reason, and not repeated`(_ url: String) throws {
    let error = try #require(throws: AuthError.self) { try HTTPOrigin(of: url) }
    #expect(error.message == "the URL must not hold a user name or a password")
  }

  @Test func `this machine is known by its name or number, and no other`() throws {
    for host in ["localhost", "LOCALHOST", "127.0.0.1", "127.255.0.9", "[::1]"] {
      #expect(try HTTPOrigin(of: "http://\(host):80/").isLoopback, "\(host)")
    }
    for host in [
      "localhost.example.org", "127.0.0.1.example.org", "127.0.0", "127.0.0.256", "127.0.0.0.1", "128.0.0.1", "[::2]",
      "127.evil", "0.0.0.0",
    ] {
      #expect(try !HTTPOrigin(of: "http://\(host)/").isLoopback, "\(host)")
    }
  }

  @Test func `header fields are found without regard to case, and keep their order`() {
    var headers: TransportHeaders = ["A": "1", "b": "2", "a": "3"]
    #expect(headers["a"] == "1")
    #expect(headers.values(of: "A") == ["1", "3"])
    headers["a"] = "4"
    #expect(headers.fields.map(\.value) == ["4", "2"])
    headers["B"] = nil
    headers["c"] = "5"
    #expect(headers.fields.map(\.name) == ["a", "c"])
    #expect(headers["\u{212A}"] == nil && TransportHeaders([.init("k", "1")])["\u{212A}"] == nil, "Kelvin is no k")
  }

  @Test func `requests and answers print nothing that may be secret`() {
    let request = TransportRequest.post("https://a.example/hush?key=hush", json: Array("hush".utf8))
    #expect("\(request)" == "POST a.example")
    let response = TransportResponse(status: 200, headers: ["hush": "hush"], body: [1], url: request.url)
    #expect("\(response)" == "status 200, 1 byte")
    #expect(Mirror(reflecting: request).children.isEmpty && Mirror(reflecting: response).children.isEmpty)
  }

  @Test func `a redirect stays on its server, and ends`() {
    func code(_ method: TransportRequest.Method = .get, to url: String, count: Int = 1) -> AuthError.Code? {
      do throws(AuthError) {
        try typed { try TransportRequest(method, "https://a.example/x").checkRedirect(to: url, count: count) }
        return nil
      } catch { return error.code }
    }
    #expect(code(to: "https://A.example:443/y") == nil)
    #expect(code(to: "https://a.example/y", count: 5) == nil)
    #expect(code(to: "https://a.example/y", count: 6) == .redirectRefused)
    #expect(code(.post, to: "https://a.example/y") == .redirectRefused)
    for url in ["http://a.example/y", "https://b.example/y", "https://a.example:444/y", "https://x.a.example/y"] {
      #expect(code(to: url) == .redirectRefused)
    }
    #expect(code(to: "/y") == .invalidArgument)
  }
}
