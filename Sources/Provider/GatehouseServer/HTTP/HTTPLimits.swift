/// The limits of an HTTP server for one client.
public struct HTTPLimits: Sendable, Hashable {
  /// The maximum length of a request's body, in bytes.
  public var bodyLength = 1 << 20
  /// The maximum length of a request's header section, in bytes.
  public var headerLength = 16 << 10
  /// The maximum number of header fields of a request.
  public var headerCount = 100
  /// The maximum time for receiving a request's body, once it has begun.
  public var requestTime: Duration = .seconds(60)
  /// The maximum time for which a connection may be idle.
  public var idleTime: Duration = .seconds(60)
  /// The maximum time for requests in progress when the server is stopped; then their connections are closed.
  public var stopTime: Duration = .seconds(10)
  /// The maximum number of open connections. Further ones wait.
  public var connections = 10_000

  /// The defaults.
  public init() {}
}
