import GatehouseBase
import GatehouseHTTP
import GatehouseLocal
import GatehouseServer
import HangGuard
import Logging
import TestSupport
import Testing

/// The web pages that may use a server that is not an emulator (decision 148).
struct PageOriginsTests {
  /// What a request asks for, and whether pages of every origin may read the answer.
  private enum Kind: String, CaseIterable {
    case clientCall = "POST /v1/accounts:signUp?key=k"
    case clientRead = "GET /v2/passwordPolicy?key=k"
    case administratorCall = "POST /v1/projects/local/accounts:lookup"
    case accessToken = "POST /token"
    case refresh = "POST /v1/token?key=k"
    case metrics = "GET /metrics"
    case unknown = "GET /nothing"
    case otherMethod = "POST /healthz"
    case keySet = "GET /.well-known/jwks.json"
    case certificates = "GET /robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"
    case cookieKeys = "GET /v1/sessionCookiePublicKeys"
    case discovery = "GET /.well-known/openid-configuration"
    case health = "GET /healthz"
    case readiness = "HEAD /readyz"

    var isForEveryOrigin: Bool {
      [.keySet, .certificates, .cookieKeys, .discovery, .health, .readiness].contains(self)
    }

    func request(_ headers: TransportHeaders, isPreflight: Bool = false) -> ServerRequest {
      let words = rawValue.split(separator: " ").map(String.init)
      var fields = headers
      fields.add("Host", "id.example.net")
      if isPreflight { fields.add("Access-Control-Request-Method", words[0]) }
      let body = words[0] == "POST" && !isPreflight ? Array("{}".utf8) : []
      return ServerRequest(isPreflight ? "OPTIONS" : words[0], words[1], headers: fields, body: body)
    }
  }

  /// Allowed domains and origins, with origins that they allow and others.
  struct Setting: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var domains = ["localhost", "127.0.0.1"]
    var named: [String]?
    let allowed: [String]
    let foreign: [String]
  }

  private static let everywhere = [
    "null", "", "https://evil.example", "http://localhost.evil.example", "http://127.0.0.1.evil.example", "file://",
    "http://localhost@evil.example", "localhost", "shop.example", "//shop.example", "https:shop.example",
    "https://shop.example https://evil.example", "https://id.example.net.evil.example",
    // The server's own name: an attacker can give it to a page, and lead it here.
    "http://id.example.net:9099", "https://id.example.net:8443",
  ]

  static let settings = [
    Setting(
      testDescription: "the default",
      allowed: [
        "http://localhost", "http://localhost:5173", "https://localhost:8443", "http://127.0.0.1:3000",
        "https://id.example.net",
      ],
      foreign: everywhere + [
        "http://[::1]:8080", "http://127.0.0.2", "https://shop.example", "capacitor://localhost",
        "http://app.localhost",
        "http://localhost/", "http://localhost?x",
      ]),
    Setting(
      testDescription: "domains", domains: ["Shop.example", "[::1]", "app.localhost", "10.0.0.7"],
      allowed: [
        "https://shop.example", "https://shop.example:443", "http://[::1]:8080", "http://app.localhost:3000",
        "https://10.0.0.7", "https://id.example.net",
      ],
      foreign: everywhere + [
        "http://shop.example", "https://shop.example:8443", "https://www.shop.example", "https://shop.example.",
        "http://localhost", "http://10.0.0.7", "https://shop.example/", "capacitor://localhost",
      ]),
    Setting(
      testDescription: "named origins",
      named: ["https://app.test:8443", "http://intranet", "capacitor://localhost", "Chrome-Extension://abc", "*.test"],
      allowed: [
        "https://app.test:8443", "http://intranet", "http://intranet:80", "capacitor://localhost",
        "chrome-extension://abc", "https://id.example.net",
      ],
      foreign: everywhere + [
        "http://localhost", "http://127.0.0.1", "https://app.test", "http://app.test:8443", "https://intranet",
        "capacitor://localhost:1", "chrome-extension://abcd", "ionic://localhost", "https://x.test",
      ]),
    Setting(testDescription: "no origin", named: [], allowed: ["https://id.example.net"], foreign: everywhere),
    Setting(testDescription: "every origin", named: ["*"], allowed: everywhere, foreign: []),
  ]

  private static func scene(_ setting: Setting) -> ServerScene {
    ServerScene {
      $0.authorizedDomains = setting.domains
    } options: {
      ($0.allowedOrigins, $0.publicURL) = (setting.named, "https://id.example.net")
      $0.metrics = PrometheusMetrics()
    }
  }

  private static func isForeign(_ reply: Reply) -> Bool {
    reply.status == 403 && reply.message?.hasPrefix("web pages of this origin may not use this server") == true
  }

  @Test(arguments: settings)
  func `pages of allowed origins make every call, and others read keys, discovery and health only`(
    setting: Setting
  ) async {
    let scene = Self.scene(setting)
    for (origins, isAllowed) in [(setting.allowed, true), (setting.foreign, false)] {
      for origin in origins {
        for kind in Kind.allCases {
          for isPreflight in [false, true] {
            let reply = await scene.send(kind.request(["Origin": origin], isPreflight: isPreflight))
            let isServed = isAllowed || (kind.isForEveryOrigin || (kind == .otherMethod && isPreflight))
            #expect(Self.isForeign(reply) == !isServed, "\(origin) \(kind.rawValue): \(reply.status)")
            let shown = reply.response.headers["Access-Control-Allow-Origin"]
            #expect(shown == (isServed ? origin : nil), "\(origin) \(kind.rawValue)")
            #expect(reply.response.headers["Access-Control-Allow-Private-Network"] == nil)
          }
        }
      }
    }
  }

  @Test(arguments: settings)
  func `apps and servers, which send no origin, make every call`(setting: Setting) async {
    let scene = Self.scene(setting)
    for kind in Kind.allCases {
      for headers: TransportHeaders in [[:], ["Sec-Fetch-Site": "none"], ["Sec-Fetch-Site": "same-origin"]] {
        #expect(!Self.isForeign(await scene.send(kind.request(headers))), "\(kind.rawValue)")
      }
      // A page's image or script has no origin, and its browser says where the page is from.
      for site in ["cross-site", "same-site"] {
        let reply = await scene.send(kind.request(["Sec-Fetch-Site": site]))
        #expect(Self.isForeign(reply) == (setting.named != ["*"] && !kind.isForEveryOrigin), "\(kind.rawValue)")
      }
    }
  }

  @Test func `a foreign page uses up nothing of what its visitor's network may do`() async throws {
    let scene = ServerScene {
      // One network may use up half of an account's tries.
      $0.throttle = Throttle(attempts: 4, window: .seconds(3600))
      $0.addressThrottle = Throttle(attempts: 2, window: .seconds(3600))
      ($0.signUpThrottle, $0.messageThrottle) = ($0.addressThrottle, $0.throttle)
      $0.networkMessageThrottle = $0.addressThrottle
      $0.delivery = LogDelivery()
    } options: {
      $0.rateLimit = RateLimit(requestsPerSecond: 0.001, burst: 9)
    }
    let calls = [
      ("signInWithPassword", #"{"email":"ada@example.com","password":"wrong horse"}"#, "INVALID_LOGIN_CREDENTIALS"),
      ("signUp", "{}", ""), ("sendOobCode", #"{"requestType":"PASSWORD_RESET","email":"N@example.com"}"#, ""),
    ]
    var recipient = 0
    func send(_ call: (String, String, String), _ headers: TransportHeaders) async -> Reply {
      recipient += 1
      let body = Array(call.1.replacing("N@", with: "\(recipient)@").utf8)
      return await scene.send(
        ServerRequest("POST", "/v1/accounts:\(call.0)?key=k", headers: headers, body: body, peer: "192.0.2.1"))
    }
    for origin in ["https://evil.example", "null"] {
      for call in calls {
        for _ in 1...20 { #expect(Self.isForeign(await send(call, ["Origin": origin]))) }
      }
      // Key sets are counted apart for such pages.
      var statuses: [Int] = []
      for _ in 1...10 {
        let headers: TransportHeaders = ["Origin": origin, "Host": "id.test"]
        let request = ServerRequest("GET", "/.well-known/jwks.json", headers: headers, peer: "192.0.2.1")
        statuses.append(await scene.send(request).status)
      }
      #expect(statuses.last == 429)
    }
    for call in calls {
      for _ in 1...2 { #expect(await send(call, [:]).message ?? "" == call.2, "\(call.0)") }
      #expect(await send(call, [:]).message?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true, "\(call.0)")
    }
  }

  @Test(.endsIfItHangs)
  func `a foreign page's body is not read`() async throws {
    let scene = ServerScene()
    let server = HTTPServer(scene.server)
    let address = try await server.start()
    let answer = try await onThread {
      let connection = try Connection(to: address)
      // The body never comes.
      connection.send(
        "POST /v1/accounts:signUp?key=k HTTP/1.1\r\nHost: id.test\r\nOrigin: https://evil.example\r\n"
          + "Content-Length: 1000000\r\n\r\n")
      return connection.read(until: "\r\n\r\n")?.lowercased()
    }
    #expect(answer?.hasPrefix("http/1.1 403 ") == true && answer?.contains("connection: close") == true)
    try await server.stop()
  }

  @Test(arguments: [
    ("https://app.test/", "leave the path out"), ("https://app.test/x", "leave the path out"),
    ("https://*.app.test", "wildcard inside"), ("app.test", "has no scheme"), ("", "has no scheme"),
    ("null", "sandboxed frames"), ("https://", "is not a web page's"), ("https://a b", "is not a web page's"),
    ("https://b\u{FC}cher.example", "xn--"), ("https://app.test:0", "is not a web page's"), ("file://", "an extension"),
    ("https://user@app.test", "is not a web page's"), ("capacitor://", "an extension"), ("1x://a", "an extension"),
    ("http:localhost", "has no scheme"),
  ])
  func `an origin that no page has is refused at the start, with advice`(origin: String, advice: String) async {
    let scene = ServerScene(options: { $0.allowedOrigins = ["https://good.example", origin] })
    let error = await #expect(throws: AuthError.self) { _ = try await HTTPServer(scene.server).start() }
    #expect(error?.code == .invalidArgument && error?.message.contains(advice) == true, "\(error?.message ?? "")")
  }

  @Test func `the log names the first refused origins, each once`() async {
    let log = LogLines()
    let scene = ServerScene(options: { $0.logger = Logger(label: "test") { _ in log } })
    for number in 0...40 {
      for _ in 1...2 { _ = await scene.get("/nothing", headers: ["Origin": "https://\(number / 2).example\n"]) }
    }
    #expect(log.all.count == 16 && log.all[0].contains("https://0.example\\n was refused"), "\(log.all)")
  }
}
