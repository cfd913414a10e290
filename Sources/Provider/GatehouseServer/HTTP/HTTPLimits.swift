/// The limits of an HTTP server for one client.
public struct HTTPLimits: Sendable, Hashable {
  /// The maximum length of a request's body, in bytes.
  public var bodyLength = 1 << 20
  /// The maximum length of all longer bodies together, in bytes: a body of more than 16 KiB that would exceed it is
  /// refused with 503. Shorter ones, as almost all are, are not counted. A quarter is for administrators. Of the rest,
  /// a network gets an eighth, and the first 56 and 48 bits of IPv6 a quarter; but each may hold one body of
  /// `bodyLength`. While the rest is full, the network that holds the most loses its oldest body that is still being
  /// received to a network with less. Requests of this machine, and of a proxy that has named no client, have no share.
  public var bodiesLength = 64 << 20
  /// The maximum length of a request's header section, in bytes.
  public var headerLength = 16 << 10
  /// The maximum number of header fields of a request.
  public var headerCount = 100
  /// The maximum time for receiving a request's body, once it has begun.
  public var requestTime: Duration = .seconds(60)
  /// The maximum time for sending a response. A connection whose client has not taken its response by then is closed.
  public var responseTime: Duration = .seconds(60)
  /// The maximum time for which a connection may be idle.
  public var idleTime: Duration = .seconds(60)
  /// The maximum time for requests in progress when the server is stopped; then their connections are closed.
  public var stopTime: Duration = .seconds(10)
  /// The maximum number of open connections. Further ones are refused with 503 and closed; with TLS, they are closed.
  ///
  /// The server takes fewer if the process may not open enough file descriptors (`RLIMIT_NOFILE`): some are kept for
  /// the rest of the process. The server never changes that limit.
  public var connections = 10_000
  /// The maximum number of open connections of one network: an IPv4 address, or 64 bits of IPv6. The first 56 and 48
  /// bits have 4 and 16 times the number. Further ones are refused like those above `connections`. No network gets more
  /// than a quarter of `connections`.
  ///
  /// Connections of this machine, and those of an `IdentityServer`'s trusted proxies, do not have this limit. At a Unix
  /// socket it is the limit of each user but this program's own and root.
  public var connectionsPerNetwork = 1000
  /// The number of file descriptors that are kept for the rest of the process, or half of those that it may open;
  /// `nil` for what a server needs.
  package var keptDescriptors: Int?

  /// The defaults.
  public init() {}
}
