public import GatehouseBase
public import GatehouseHTTP

/// The settings of a `RESTBackend`.
public struct RESTOptions: Sendable {
  /// Where the calls go. `RESTServer.standard` unless set.
  public var server: RESTServer
  /// Header fields that each request has besides its own: `X-Ios-Bundle-Identifier` for a key that is restricted to an
  /// app, for instance. A field that the request has as well wins over its own.
  public var headers: TransportHeaders = [:]
  /// How long one attempt may take. A caller's own deadline comes before it.
  public var timeout = Duration.seconds(60)
  /// How often a call is sent at most, where it may be sent again; 1 and less: once.
  public var attempts = 3
  /// Whether each refresh brings a new refresh token and spends the old one. Google's do not; say `true` for a server
  /// whose `LocalOptions.rotatesRefreshTokens` is set.
  public var rotatesRefreshTokens = false
  /// The source of time.
  public var clocks: any Clocks
  /// The source of jitter.
  public var random: any RandomSource

  /// The defaults, but for what is given.
  public init(
    server: RESTServer = .standard, clocks: any Clocks = SystemClocks(),
    random: any RandomSource = SystemRandomSource()
  ) {
    self.server = server
    self.clocks = clocks
    self.random = random
  }
}
