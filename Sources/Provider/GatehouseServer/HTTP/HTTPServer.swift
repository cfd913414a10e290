public import CoreMetrics
public import Dispatch
public import GatehouseBase
import GatehouseQueues
import GatehouseSystem
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import ServiceLifecycle

/// Serves a `RequestHandler` over HTTP/1.1, by Hummingbird.
///
/// It serves once: `start()`, then `stop()`. A server that is released while it serves goes on until the program ends.
public final class HTTPServer: Sendable {
  /// Called with the outcome of a call: exactly once, on every path. A closure that is isolated to an actor, the main
  /// actor mostly, is called there; any other on the callback queue. It is released in the same place.
  public typealias Completion<Value: Sendable> = @isolated(any) @Sendable (Result<Value, AuthError>) -> Void

  private let handler: any RequestHandler
  private let address: ServerAddress
  private let certificate: ServerCertificate?
  private let limits: HTTPLimits
  private let metrics: any MetricsFactory
  private let logger: Logger
  private let callbacks: CallbackQueue
  private let run = Lock<Run>(.fresh)
  /// Of a Unix socket, and the socket once it is there.
  private let place: SocketPlace?
  private let placed: Lock<FileStatus?> = Lock(nil)
  private let share = PoolShare(width: 1)

  private enum Run: Sendable {
    case fresh
    case serving(ServiceGroup, end: Task<Void, Never>)
    case stopped
  }

  /// Makes a server that does not listen yet.
  ///
  /// - Parameters:
  ///   - handler: answers the requests.
  ///   - address: where to listen.
  ///   - tls: the certificate and key with which to end TLS; `nil` to serve plain HTTP.
  ///   - limits: what a client may take.
  ///   - metrics: counts the connections; a `PrometheusMetrics`, or what `MetricsSystem` was given.
  ///   - logger: hears of faults of connections. Never given what a request holds.
  ///   - callbackQueue: where completions are called.
  public init(
    _ handler: any RequestHandler, at address: ServerAddress = .host("127.0.0.1", port: 0), tls: TLSFiles? = nil,
    limits: HTTPLimits = HTTPLimits(), metrics: any MetricsFactory = MetricsSystem.factory,
    logger: Logger = Logger(label: "gatehouse.http"),
    callbackQueue: DispatchQueue = .main
  ) {
    self.handler = handler
    self.address = address
    if case .unix(let path) = address { place = SocketPlace(path) } else { place = nil }
    certificate = tls.map { ServerCertificate($0, logger: logger) }
    self.limits = limits
    self.metrics = metrics
    self.logger = logger
    callbacks = CallbackQueue(callbackQueue)
  }

  /// Begins to listen.
  ///
  /// - Returns: where it listens, with the port that was free for a port 0.
  /// A Unix socket whose server has ended is replaced; one where a server answers, and a file that is no socket, are
  /// left alone.
  ///
  /// - Throws: `.networkError` when the address is taken or not this machine's; `.invalidArgument` when the files of
  ///   TLS cannot be used; `.closed` for a server that has been started before.
  public func start() async throws(AuthError) -> ServerAddress {
    try await certificate?.read()
    try await atPlace { place throws(SystemError) in try place.requireFree() }
    let (addresses, found) = AsyncThrowingStream<ServerAddress, any Error>.makeStream()
    let asked = address
    let application = Application(
      responder: RequestResponder(handler: handler, limits: limits, isSecure: certificate != nil),
      server: server,
      configuration: ApplicationConfiguration(
        address: bindAddress, backlog: 1024,
        availableConnectionsDelegate: CountedConnections(maximum: limits.connections, metrics)),
      services: certificate.map { [CertificateWatch(certificate: $0)] } ?? [],
      onServerRunning: { channel in found.yield(asked.bound(to: channel.localAddress)) },
      logger: logger)
    var configuration = ServiceGroupConfiguration(services: [.init(service: application)], logger: logger)
    configuration.maximumGracefulShutdownDuration = limits.stopTime
    let group = ServiceGroup(configuration: configuration)
    let isFirst = run.withLock { run in
      guard case .fresh = run else { return false }
      run = .serving(
        group,
        end: Task {
          do {
            try await group.run()
            found.finish()
          } catch { found.finish(throwing: error) }
        })
      return true
    }
    guard isFirst else { throw AuthError(.closed, "this server was started before; make another one") }
    do {
      for try await address in addresses {
        do throws(AuthError) { try await takePlace() } catch {
          try await stop()
          throw error
        }
        return address
      }
    } catch let error as AuthError {
      throw error
    } catch {
      throw .cannotListen(at: asked, error)
    }
    throw AuthError(.closed, "the server was stopped before it listened")
  }

  /// Where the socket is bound: one that has a path gets it later.
  private var bindAddress: BindAddress {
    switch address {
    case .host(let host, let port): .hostname(host, port: port)
    case .unix(let path): .unixDomainSocket(path: place?.ownPath ?? path)
    }
  }

  private func takePlace() async throws(AuthError) {
    try await atPlace { [placed] place throws(SystemError) in
      let socket = try place.take()
      placed.withLock { $0 = socket }
    }
  }

  private func leavePlace() async throws(AuthError) {
    try await atPlace { [placed] place throws(SystemError) in
      let socket = placed.withLock { placed in
        defer { placed = nil }
        return placed
      }
      if let socket { try place.leave(socket) }
    }
  }

  /// Does something at the path of a Unix socket, in the background.
  private func atPlace(_ work: @escaping @Sendable (SocketPlace) throws(SystemError) -> Void) async throws(AuthError) {
    guard let place else { return }
    try await Background.run(on: share) { [address] () throws(AuthError) in
      do throws(SystemError) { try work(place) } catch { throw .cannotListen(at: address, error) }
    }
  }

  /// How a connection is served.
  private var server: HTTPServerBuilder {
    HTTPServerBuilder { [limits, certificate, executor = (handler as? any PlacedHandler)?.executor] responder in
      let plain = HTTP1Channel(responder: responder, configuration: limits.http1)
      guard let certificate else { return PlacedChannel(channel: plain, executor: executor) }
      return PlacedChannel(channel: SecureChannel(plain: plain, certificate: certificate), executor: executor)
    }
  }

  /// Begins to listen.
  public func start(@_inheritActorContext completion: @escaping Completion<ServerAddress>) {
    callbacks.deliver(to: completion) { [self] () throws(AuthError) in try await start() }
  }

  /// Reads the files of TLS now, and does not wait for `TLSFiles.checkInterval`. Does nothing for a server of plain
  /// HTTP.
  ///
  /// - Throws: `.invalidArgument` when they cannot be used: the server goes on with the old ones.
  public func reloadCertificate() async throws(AuthError) { try await certificate?.read() }

  /// Reads the files of TLS now.
  public func reloadCertificate(@_inheritActorContext completion: @escaping Completion<Void>) {
    callbacks.deliver(to: completion) { [self] () throws(AuthError) in try await reloadCertificate() }
  }

  /// Listens no more, and returns when the requests that had come are answered: after `HTTPLimits.stopTime` at most,
  /// when connections that are still open are closed. Stopping twice is not an error.
  public func stop() async throws(AuthError) {
    let serving = run.withLock { run -> (ServiceGroup, Task<Void, Never>)? in
      defer { if case .fresh = run { run = .stopped } }
      guard case .serving(let group, let end) = run else { return nil }
      return (group, end)
    }
    guard let (group, end) = serving else { return }
    // First, so that no client comes to a socket that nothing hears any more.
    do throws(AuthError) { try await leavePlace() } catch {
      logger.warning("the socket stays, and the next server replaces it: \(error.message)")
    }
    await group.triggerGracefulShutdown()
    await end.value
  }

  /// Listens no more.
  public func stop(@_inheritActorContext completion: @escaping Completion<Void>) {
    callbacks.deliver(to: completion) { [self] () throws(AuthError) in try await stop() }
  }
}

extension HTTPLimits {
  fileprivate var http1: HTTP1Channel.Configuration {
    HTTP1Channel.Configuration(
      idleTimeout: TimeAmount(idleTime),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: headerLength, maxHeaderListSize: headerLength, maxHeaderFieldCount: headerCount))
  }
}

extension ServerAddress {
  /// The address with the port that was found.
  fileprivate func bound(to address: SocketAddress?) -> ServerAddress {
    guard case .host(let host, _) = self, let port = address?.port else { return self }
    return .host(host, port: port)
  }
}
