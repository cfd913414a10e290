public import GatehouseBase
public import Logging
public import Tracing

/// How a server of the protocol behaves. Set what differs from the defaults, and hand it to `IdentityServer`.
public struct ServerOptions: Sendable {
  /// The API keys that clients may show; empty for any key that is not empty. A key is no secret: every copy of an app
  /// holds it.
  public var apiKeys: [String] = []
  /// Makes the server an emulator, as Firebase's is, for tests and development only: every client may delete all
  /// accounts and read the codes of messages, which the outbox keeps, and with `Authorization: Bearer owner` is an
  /// administrator. Its provider is one by `LocalOptions.actAsEmulator()`, and has the outbox by
  /// `LocalOptions.keepMessages()`.
  public var emulator: EmulatorOutbox?
  /// The address at which clients reach the server, without a `/` at its end: `https://id.example.com`. `nil` for what
  /// each request's `Host` says.
  public var publicURL: String?
  /// The maximum sizes of a request's JSON. A request's body has a limit of its own: `HTTPLimits.bodyLength`. See
  /// `importLength`.
  public var json = JSONLimits(bytes: 1 << 20, depth: 16, members: 256, nameBytes: 256)
  /// The longest body of an import of accounts, `accounts:batchCreate`, in bytes: 8 MiB unless set otherwise, enough
  /// for a thousand accounts with the longest claims. Only an administrator may send that much; to every other client
  /// the limits of all calls apply.
  public var importLength = 8 << 20
  /// Which proxies' word is taken for a client's address; `none` by default.
  public var trustedProxies = TrustedProxies.none
  /// How many requests one address may send, of all calls together; `nil` for any number. The provider's own limits of
  /// failed sign-ins hold either way. A client whose address is not known, as over a Unix socket, has no limit.
  public var rateLimit: RateLimit?
  /// Keeps what the server measures. `nil`, the default: what is measured goes to the factory that `MetricsSystem` was
  /// given, if it was.
  public var metrics: PrometheusMetrics?
  /// Whether `metrics` is shown at `/metrics`, to every client that can reach the server. Without it, serve `metrics`
  /// at an address of its own: it is a `RequestHandler`.
  public var showsMetrics = true
  /// Hears of a span for each request, named after its route; `nil` for the tracer that `InstrumentationSystem` was
  /// given, if it was. Never given what a request holds.
  public var tracer: (any Tracer)?
  /// The clocks of `rateLimit` and of measurements.
  public var clocks: any Clocks = SystemClocks()
  /// Hears of failures of the provider. Never given a token, a password or a code.
  public var logger = Logger(label: "gatehouse.server")

  /// The defaults.
  public init() {}
}
