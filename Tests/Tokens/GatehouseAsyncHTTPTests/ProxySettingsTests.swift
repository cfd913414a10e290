import AsyncHTTPClient
import GatehouseBase
import GatehouseHTTP
import GatehouseTesting
import TestSupport
import Testing

@testable import GatehouseAsyncHTTP

/// The proxies of the environment, interpreted as by curl.
struct ProxySettingsTests {
  private func proxy(_ variables: [String: String], _ url: String) throws -> HTTPClient.Configuration.Proxy? {
    try ProxySettings { variables[$0] }.proxy(for: HTTPOrigin(of: url))
  }

  @Test(arguments: [
    ("https_proxy", "http://proxy.example:3128", "https://a.example"),
    ("HTTPS_PROXY", "proxy.example:3128", "https://a.example"),
    ("all_proxy", "http://proxy.example:3128/", "https://a.example"),
    ("ALL_PROXY", "proxy.example:3128", "http://a.example"),
    ("http_proxy", "proxy.example:3128", "http://a.example"),
  ])
  func `a variable names the proxy of a scheme`(name: String, value: String, url: String) throws {
    #expect(try proxy([name: value], url) == .server(host: "proxy.example", port: 3128))
  }

  @Test func `without a port it is 1080, and an account comes along`() throws {
    #expect(try proxy(["https_proxy": "proxy"], "https://a.example") == .server(host: "proxy", port: 1080))
    #expect(try proxy(["https_proxy": "http://[::1]"], "https://a.example") == .server(host: "::1", port: 1080))
    #expect(try proxy(["https_proxy": "socks5://[::1]:9"], "https://a.example") == .socksServer(host: "::1", port: 9))
    #expect(
      try proxy(["https_proxy": "http://me:p%40ss@proxy:1"], "https://a.example")
        == .server(host: "proxy", port: 1, authorization: .basic(username: "me", password: "p@ss")))
  }

  @Test(arguments: [
    (["http_proxy": "p"], "https://a.example"), (["https_proxy": "p"], "http://a.example"),
    // In a CGI program, the client controls that variable.
    (["HTTP_PROXY": "p"], "http://a.example"), (["https_proxy": ""], "https://a.example"),
    (["https_proxy": "p", "no_proxy": "b.example, A.example"], "https://a.example"),
    (["https_proxy": "p", "NO_PROXY": ".example"], "https://a.example"),
    (["https_proxy": "p", "no_proxy": "*"], "https://a.example"),
  ])
  func `where the environment names none there is none`(variables: [String: String], url: String) throws {
    #expect(try proxy(variables, url) == nil)
  }

  @Test func `an exception is a whole name`() throws {
    #expect(try proxy(["https_proxy": "p", "no_proxy": "a.example"], "https://ba.example") != nil)
  }

  @Test(arguments: ["https://proxy:1", "socks4://proxy:1", "http://", "http://a b"])
  func `a proxy that cannot be used is not gone past`(value: String) async throws {
    let transport = AsyncHTTPTransport(
      proxies: ProxySettings { $0 == "http_proxy" ? value : nil }, clocks: SystemClocks())
    let url = try LoopbackServer().serve("/", .like(.answers(200)))
    let error = await #expect(throws: AuthError.self) { try await transport.send(TransportRequest(.get, url)) }
    #expect(error?.code == .networkError && error?.message.contains("(http_proxy) cannot be used") == true)
  }

  @Test func `a request goes to the proxy, and nowhere else`() async throws {
    let (proxy, target) = (try LoopbackServer(), try LoopbackServer())
    let url = target.serve("/", .like(.answers(200)))
    let transport = AsyncHTTPTransport(
      proxies: ProxySettings { $0 == "http_proxy" ? proxy.url : nil }, clocks: SystemClocks())
    // The server is not a proxy, and does not understand the request.
    let error = await #expect(throws: AuthError.self) { try await transport.send(TransportRequest(.get, url)) }
    #expect(error?.code == .networkError)
    #expect(target.received.isEmpty)
  }

  /// Sends a request through a proxy with an account. The proxy serves the requests itself.
  private func through(
    _ proxy: LoopbackServer, to url: String, account: String = ""
  ) async throws(AuthError) -> TransportResponse {
    let settings = ProxySettings { $0 == "all_proxy" ? "http://\(account)127.0.0.1:\(proxy.port)" : nil }
    let transport = AsyncHTTPTransport(proxies: settings, clocks: SystemClocks(), allowsPlainHTTP: true)
    return try await transport.send(TransportRequest(.get, url))
  }

  @Test func `a request goes through the proxy with the proxy's account, and no name is looked up here`() async throws {
    let proxy = try LoopbackServer()
    proxy.serve("nothing.invalid:80", .tunnels)
    proxy.serve("/a?b=c", .like(.answers(200, body: [7])))
    #expect(try await through(proxy, to: "http://nothing.invalid/a?b=c", account: "me:hush@").body == [7])
    #expect(proxy.received.map { $0.headers["Proxy-Authorization"] } == ["Basic bWU6aHVzaA==", nil])
    #expect(proxy.received.last?.headers["Host"] == "nothing.invalid")
  }

  @Test(arguments: [
    ("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n", "asks for a user name and a password"),
    ("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", "refuses the connection to nothing.invalid"),
  ])
  func `a tunnel that the proxy refuses is told so, without the account`(answer: String, words: String) async throws {
    let proxy = try LoopbackServer()
    proxy.serveEverywhere(.raw(answer))
    let error = await #expect(throws: AuthError.self) {
      try await through(proxy, to: "https://nothing.invalid/", account: "me:hush@")
    }
    #expect(error?.code == .networkError && error?.message.contains(words) == true, "\(String(describing: error))")
    #expect(error?.description.contains("hush") == false)
    #expect(proxy.received.map(\.url) == ["\(proxy.url)nothing.invalid:443"])
  }
}
