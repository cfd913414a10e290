public import GatehouseBase
public import Logging
public import Tracing

/// The settings of a protocol server. Set those that differ from the defaults, and pass them to `IdentityServer`.
public struct ServerOptions: Sendable {
  /// The API keys that clients may use; empty to accept any non-empty key. A key is not a secret, because every copy of
  /// an app contains it.
  public var apiKeys: [String] = []
  /// The outbox that makes the server an emulator, like Firebase's, for tests and development only: every client may
  /// delete all accounts and read the codes of messages, which the outbox keeps, and is an administrator with
  /// `Authorization: Bearer owner`. Configure its provider with `LocalOptions.actAsEmulator()`, and the outbox with
  /// `LocalOptions.keepMessages()`. With another provider, every request is refused.
  public var emulator: EmulatorOutbox?
  /// Makes an emulator's further projects, each when it is needed, in a folder of its own. `nil` to refuse requests to
  /// other projects. A call that has only an API key belongs to the project that the server was made with.
  ///
  /// It is called at most once at a time for a name that `EmulatorProject.isName(_:)` accepts. At most 64 projects are
  /// open at once: the one that was idle for longest is closed, and made again when it is needed.
  /// The others stay open: a program that ends its server closes the providers that it has made.
  public var emulatorProjects: EmulatorProject.Maker?
  /// Further origins of web pages that may use an emulator: `https://app.test:8443`. Pages of this machine always may:
  /// those of `localhost`, 127.0.0.0/8 and `[::1]`. Otherwise every page that is open in a browser of this machine could
  /// use it.
  public var emulatorOrigins: [String] = []
  /// The origins of web pages that may use a server that is not an emulator: `https://app.example.com`. `nil`, the
  /// default, for `https://` and each of the provider's `authorizedDomains`; those of them that are this machine
  /// (`localhost`, 127.0.0.0/8, `::1`) may also be `http://`, and at any port.
  ///
  /// A page acts from its visitor's network, and could use up what that network may do: sign-ins, sign-ups, messages. A
  /// request whose `Origin` is not allowed is refused with 403, before its body is read and before anything is counted.
  /// Apps and servers send none. Pages of `publicURL` are always allowed. Key sets, discovery and health checks answer
  /// pages of every origin.
  ///
  /// The origins of apps and extensions must be named (`capacitor://localhost`, `chrome-extension://ID`), and so must
  /// pages of every origin (`*`). For an origin that no page has, such as one with a path, `HTTPServer.start()` throws.
  public var allowedOrigins: [String]?
  /// Whether a browser may let a public web page of an allowed origin call a server in a private network
  /// (`Access-Control-Allow-Private-Network`). An emulator always permits it.
  public var permitsPrivateNetwork = false
  /// The URL at which clients reach the server, without a trailing `/`: `https://id.example.com`. `nil` to use each
  /// request's `Host`.
  public var publicURL: String?
  /// The maximum sizes of a request's JSON. A form and a query are limited like one object. A request's body has a
  /// separate limit, `HTTPLimits.bodyLength`. See `importLength`.
  public var json = JSONLimits(bytes: 1 << 20, depth: 16, members: 256, nameBytes: 256)
  /// The maximum body length of an import of accounts, `accounts:batchCreate`, in bytes; 8 MiB by default, enough for a
  /// thousand accounts with the longest claims. It only applies to administrators; all other clients have the limits of
  /// all calls.
  public var importLength = 8 << 20
  /// The proxies that are trusted with a client's address; `none` by default.
  public var trustedProxies = TrustedProxies.none
  /// The limit of requests from one address, for all calls together; `nil` for no limit. The provider's own limits of
  /// failed sign-ins apply in any case. A client whose address is unknown, for example over a Unix socket, has no
  /// limit.
  public var rateLimit: RateLimit?
  /// The metrics of the server. With `nil`, the default, they are recorded by the factory that `MetricsSystem` was
  /// given before the server is made, if any.
  public var metrics: PrometheusMetrics?
  /// Whether `metrics` is shown at `/metrics`, to every client that can reach the server. To show it elsewhere, serve
  /// `metrics` at a separate address: it is a `RequestHandler`.
  public var showsMetrics = true
  /// The tracer of a span for each request, named after its route; `nil` for the tracer that `InstrumentationSystem`
  /// has when the server is made, if any. It is never given the contents of a request.
  public var tracer: (any Tracer)?
  /// The clocks of `rateLimit` and of measurements.
  public var clocks: any Clocks = SystemClocks()
  /// The logger for failures of the provider. It is never given a token, a password or a code.
  public var logger = Logger(label: "gatehouse.server")

  /// The defaults.
  public init() {}
}
