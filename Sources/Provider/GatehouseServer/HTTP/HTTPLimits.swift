/// What one client may take of an HTTP server.
public struct HTTPLimits: Sendable, Hashable {
  /// The longest body of a request, in bytes.
  public var bodyLength = 1 << 20
  /// The longest header section of a request, in bytes.
  public var headerLength = 16 << 10
  /// How many header fields a request may have.
  public var headerCount = 100
  /// How long a request's body may take to come, once it has begun.
  public var requestTime: Duration = .seconds(60)
  /// How long a connection may be silent.
  public var idleTime: Duration = .seconds(60)
  /// How long the requests that have come may take when the server is stopped; then their connections are closed.
  public var stopTime: Duration = .seconds(10)
  /// How many connections may be open at once. Further ones wait.
  public var connections = 10_000

  /// The defaults.
  public init() {}
}
