public import GatehouseBase
public import GatehouseHTTP

/// The settings of a `RESTBackend`.
public struct RESTOptions: Sendable {
  /// The server that receives the calls. `RESTServer.standard` by default.
  public var server: RESTServer
  /// Additional header fields of each request, for example `X-Ios-Bundle-Identifier` for a key that is restricted to an
  /// app. They override the request's own fields.
  public var headers: TransportHeaders = [:]
  /// The maximum duration of one attempt. A caller's own deadline may end it earlier.
  public var timeout = Duration.seconds(60)
  /// The maximum number of attempts of a call that may be retried; 1 or less means one.
  public var attempts = 3
  /// Whether each refresh issues a new refresh token and invalidates the old one. Google's refreshes do not. Set it for
  /// a server whose `LocalOptions.rotatesRefreshTokens` is set: then two programs never refresh the same session at
  /// once.
  public var rotatesRefreshTokens = false
  /// The cookie of this device, which an earlier `RESTBackend.device` had; `nil` for a device that has none yet. It is
  /// no credential: with it, others who guess passwords do not lock the device's user out. It is sent to `server` only,
  /// and never to Google's servers.
  public var device: Secret?
  /// The source of time.
  public var clocks: any Clocks
  /// The source of jitter.
  public var random: any RandomSource

  /// Makes options with the given values and defaults.
  public init(
    server: RESTServer = .standard, clocks: any Clocks = SystemClocks(),
    random: any RandomSource = SystemRandomSource()
  ) {
    self.server = server
    self.clocks = clocks
    self.random = random
  }
}
