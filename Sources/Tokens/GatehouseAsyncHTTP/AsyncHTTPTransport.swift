import AsyncHTTPClient
public import GatehouseBase
public import GatehouseHTTP
import GatehouseQueues
public import NIOCore

/// The transport over AsyncHTTPClient: the default of `GatehouseREST`, `GatehouseAdmin` and `gate`.
///
/// It keeps the contract of `HTTPTransport`: no cookies, no cache, no stored credentials. Responses are measured while
/// they arrive, and dropped when they grow too long. No request is sent again, and no connection is tried twice. TLS is
/// verified against the machine's certificates. Proxies are taken from the environment when the transport is made, with
/// the variable names that curl reads, and asked for a tunnel (CONNECT), also for plain HTTP. An address may be an IPv6
/// address. Keep the transport and share it: it keeps connections open.
///
/// Its first request makes a client, which is shut down when the transport and its last request are released. The owner
/// of given event loops keeps them, and ends them after that. A request waits for one of the event loops: a blocked
/// event loop delays the responses of its connections, and a deadline or cancellation that must end one of them.
public final class AsyncHTTPTransport: HTTPTransport {
  /// Made by the first request: a transport that is only kept in reserve starts no threads.
  private let clients = Lock<OwnedClients?>(nil)
  private let eventLoopGroup: (any EventLoopGroup)?
  private let proxies: ProxySettings
  private let clocks: any Clocks
  private let allowsPlainHTTP: Bool
  private let connectionsPerHost: Int

  /// - Parameters:
  ///   - eventLoopGroup: the event loops to share; by default those that all of SwiftNIO in the process shares.
  ///   - clocks: the clocks that measure timeouts.
  ///   - allowsPlainHTTP: whether requests may go to other machines by plain HTTP, which others can read on the way.
  public convenience init(
    eventLoopGroup: (any EventLoopGroup)? = nil, clocks: any Clocks = SystemClocks(), allowsPlainHTTP: Bool = false
  ) {
    self.init(
      eventLoopGroup: eventLoopGroup, proxies: .environment, clocks: clocks, allowsPlainHTTP: allowsPlainHTTP)
  }

  /// - Parameter connectionsPerHost: the maximum number of connections to one host that are open at once. Further
  ///   requests wait for one of them.
  package convenience init(connectionsPerHost: Int) {
    self.init(proxies: .environment, clocks: SystemClocks(), connectionsPerHost: connectionsPerHost)
  }

  package init(
    eventLoopGroup: (any EventLoopGroup)? = nil, proxies: ProxySettings, clocks: any Clocks,
    allowsPlainHTTP: Bool = false, connectionsPerHost: Int = 8
  ) {
    self.eventLoopGroup = eventLoopGroup
    self.proxies = proxies
    self.clocks = clocks
    self.allowsPlainHTTP = allowsPlainHTTP
    self.connectionsPerHost = connectionsPerHost
  }

  /// Sends a request; see `HTTPTransport.send(_:)` for what it guarantees and throws.
  public func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse {
    try typed { try request.check(allowsPlainHTTP: allowsPlainHTTP) }
    let clients = clientsInUse()
    let client = try clients.client(for: try HTTPOrigin(of: request.url))
    let seconds = request.timeout / .seconds(1)
    let outcome = await withTaskGroup(of: Result<TransportResponse, AuthError>.self) { [clients, clocks] group in
      group.addTask {
        let outcome = await Exchange(request, client).outcome()
        // The client, and its connections, are shut down with the last of its owners.
        withExtendedLifetime(clients) {}
        return outcome
      }
      group.addTask {
        await clocks.sleep(until: Alarm(boot: clocks.now().boot + seconds))
        return .failure(Task.isCancelled ? .cancelled : .deadlineExceeded("the request", after: seconds))
      }
      // Both tasks end at once when they are cancelled.
      let first = await group.next()
      group.cancelAll()
      return first ?? .failure(.cancelled)
    }
    return try outcome.typed()
  }

  private func clientsInUse() -> OwnedClients {
    clients.withLock { clients in
      if let clients { return clients }
      let made = OwnedClients(
        on: eventLoopGroup ?? HTTPClient.defaultEventLoopGroup, proxies, connectionsPerHost: connectionsPerHost)
      clients = made
      return made
    }
  }
}

/// The clients of a transport. They are shut down when neither the transport nor one of its requests needs them.
private final class OwnedClients: Sendable {
  private let direct: HTTPClient
  private let proxies: ProxySettings
  /// Indexed by the proxies' addresses.
  private let proxied: [HTTPClient.Configuration.Proxy: HTTPClient]

  init(on group: any EventLoopGroup, _ proxies: ProxySettings, connectionsPerHost: Int) {
    func client(_ proxy: HTTPClient.Configuration.Proxy?) -> HTTPClient {
      var configuration = HTTPClient.Configuration(
        redirectConfiguration: .disallow, proxy: proxy, decompression: .disabled)
      // Reports an unreachable server at once.
      configuration.connectionPool.retryConnectionEstablishment = false
      configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsPerHost
      return HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
    }
    direct = client(nil)
    self.proxies = proxies
    proxied = Dictionary(uniqueKeysWithValues: Set(proxies.all).map { ($0, client($0)) })
  }

  /// - Throws: `.networkError` if the environment names an unusable proxy.
  func client(for origin: HTTPOrigin) throws(AuthError) -> HTTPClient {
    guard let proxy = try proxies.proxy(for: origin) else { return direct }
    return proxied[proxy] ?? direct
  }

  deinit {
    for client in [direct] + proxied.values { client.shutdown { _ in } }
  }
}
