public import CoreMetrics
public import Dispatch
import Foundation
public import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import GatehouseSystem
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle

/// Serves a `RequestHandler` over HTTP/1.1, with Hummingbird.
///
/// A server can be started once, and then stopped. A server that is released while it runs continues until the program
/// ends.
public final class HTTPServer: Sendable {
  private let handler: any RequestHandler
  private let address: ServerAddress
  private let certificate: ServerCertificate?
  private let limits: HTTPLimits
  private let metrics: any MetricsFactory
  private let logger: Logger
  private let callbacks: CallbackQueue
  private let run = Lock<Run>(.fresh)
  /// The place of a Unix socket, and the socket once it is there.
  private let place: SocketPlace?
  private let placed: Lock<FileStatus?> = Lock(nil)
  private let share = PoolShare(width: 1)
  /// A socket that listens already, which is served in place of one of the server's own.
  private let inherited: Int32?
  /// The handlers of a connection, once they are made.
  private let handlers = Lock<(any ServerChildChannel)?>(nil)

  private enum Run: Sendable {
    case fresh
    case serving(ServiceGroup, end: Task<Void, Never>)
    case stopped
  }

  /// Makes a server that does not listen yet.
  ///
  /// - Parameters:
  ///   - handler: the handler that answers the requests.
  ///   - address: the address to listen at.
  ///   - tls: the certificate and key for TLS; `nil` to serve plain HTTP.
  ///   - limits: the limits for one client.
  ///   - metrics: the factory that counts the connections: a `PrometheusMetrics`, or the one that `MetricsSystem` was
  ///     given.
  ///   - logger: the logger for connection errors. It is never given the contents of a request.
  ///   - callbackQueue: the queue on which completions are called.
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
    inherited = nil
  }

  /// Makes a server for a Unix socket that listens already, such as one of the service manager's. The server closes it
  /// when it is stopped, and never removes its path.
  package init(
    _ handler: any RequestHandler, listeningAt descriptor: Int32, path: String, limits: HTTPLimits = HTTPLimits(),
    metrics: any MetricsFactory = MetricsSystem.factory, logger: Logger = Logger(label: "gatehouse.http")
  ) {
    self.handler = handler
    address = .unix(path: path)
    (place, certificate, inherited) = (nil, nil, descriptor)
    self.limits = limits
    self.metrics = metrics
    self.logger = logger
    callbacks = CallbackQueue(.main)
  }

  /// Begins to listen. A Unix socket whose server has ended is replaced. A socket where a server answers, and a file
  /// that is not a socket, are left alone.
  ///
  /// - Returns: The address at which the server listens, with the actual port if the port was 0.
  ///
  /// - Throws: `.networkError` if the address is taken or does not belong to this machine; `.invalidArgument` if the
  ///   TLS files cannot be used, or `ServerOptions.allowedOrigins` has what is not an origin; `.closed` for a server
  ///   that was started before.
  public func start() async throws -> ServerAddress {
    try (handler as? any PlacedHandler)?.check()
    try await certificate?.read()
    try await atPlace { place throws(SystemError) in try place.requireFree() }
    let (addresses, found) = AsyncThrowingStream<ServerAddress, any Error>.makeStream()
    let asked = address
    let bounds = try await bounds
    let application = Application(
      responder: RequestResponder(
        handler: handler, limits: limits, bodies: BodyBudget(limits, metrics, logger), isSecure: certificate != nil),
      server: server(OpenConnections(bounds, metrics, logger)),
      configuration: ApplicationConfiguration(address: bindAddress, backlog: 1024),
      services: (certificate.map { [CertificateWatch(certificate: $0)] } ?? [])
        + listener(bounds) { found.yield(asked) },
      onServerRunning: { [logger, inherited] channel in
        guard inherited == nil else { return await channel.acceptNothing() }
        await channel.acceptWithin(bounds, logger)
        found.yield(asked.bound(to: channel.localAddress))
      },
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
      throw AuthError.cannotListen(at: asked, error)
    }
    throw AuthError(.closed, "the server was stopped before it listened")
  }

  /// The address to bind to. A Unix socket is moved to its path later.
  private var bindAddress: BindAddress {
    // Hummingbird must bind a socket: one without a file, at which nothing is accepted.
    if inherited != nil { return .unixDomainSocket(path: "\0gatehouse-\(SystemRandomSource().identifier())") }
    return switch address {
    case .host(let host, let port): .hostname(host, port: port)
    case .unix(let path): .unixDomainSocket(path: place?.ownPath ?? path)
    }
  }

  /// The service that accepts the clients of an inherited socket, if there is one.
  private func listener(
    _ bounds: OpenConnections.Bounds, isListening: @escaping @Sendable () -> Void
  ) -> [any Service] {
    guard let inherited else { return [] }
    return [
      InheritedListener(descriptor: inherited, handlers: handlers, logger: logger) { [logger] channel in
        await channel.acceptWithin(bounds, logger)
        isListening()
      }
    ]
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

  /// Runs work at the path of a Unix socket, in the background.
  private func atPlace(_ work: @escaping @Sendable (SocketPlace) throws(SystemError) -> Void) async throws(AuthError) {
    guard let place else { return }
    try await Background.run(on: share) { [address] () throws(AuthError) in
      do throws(SystemError) { try work(place) } catch { throw .cannotListen(at: address, error) }
    }
  }

  /// The numbers of connections that the server takes.
  private var bounds: OpenConnections.Bounds {
    get async throws(AuthError) {
      let limits = limits
      return try await Background.run(on: share) { () throws(AuthError) in
        do throws(SystemError) {
          return OpenConnections.Bounds(
            limits, descriptors: try DescriptorLimit.free, cores: System.coreCount)
        } catch { throw AuthError(.internalError, "the limit of file descriptors cannot be read: \(error)") }
      }
    }
  }

  /// The server for one connection.
  private func server(_ connections: OpenConnections) -> HTTPServerBuilder {
    let placed = handler as? any PlacedHandler
    let divider = handler as? any DividingHandler
    let isShared: @Sendable (NetworkAddress) -> Bool = { placed?.isShared($0) ?? $0.isLoopback }
    return HTTPServerBuilder { [limits, certificate, handlers] responder in
      func counted(_ channel: some ServerChildChannel, refusal: ByteBuffer?) -> any ServerChildChannel {
        let counted = CountedChannel(
          channel: PlacedChannel(channel: channel, executor: placed?.executor), connections: connections,
          isShared: isShared, divider: divider, refusal: refusal)
        handlers.withLock { $0 = counted }
        return counted
      }
      let plain = PlainChannel(
        http: HTTP1Channel(responder: responder, configuration: limits.http1),
        responseTime: TimeAmount(limits.responseTime))
      guard let certificate else {
        return counted(plain, refusal: ByteBuffer(bytes: Refusal.tooManyConnections.response.closing))
      }
      return counted(SecureChannel(plain: plain, certificate: certificate), refusal: nil)
    }
  }

  /// Begins to listen.
  public func start(@_inheritActorContext completion: @escaping Completion<ServerAddress>) {
    callbacks.deliver(to: completion) { [self] () throws(AuthError) in try await typed { try await start() } }
  }

  /// Reads the TLS files now, without waiting for `TLSFiles.checkInterval`. Does nothing for a server of plain HTTP.
  ///
  /// - Throws: `.invalidArgument` if they cannot be used; the server continues with the old ones.
  public func reloadCertificate() async throws { try await certificate?.read() }

  /// Reads the TLS files now.
  public func reloadCertificate(@_inheritActorContext completion: @escaping Completion<Void>) {
    callbacks.deliver(to: completion) { [self] () throws(AuthError) in
      try await typed { try await reloadCertificate() }
    }
  }

  /// Stops listening, and returns when the received requests are answered. After `HTTPLimits.stopTime` at most,
  /// connections that are still open are closed. Stopping twice is not an error.
  public func stop() async throws {
    let serving = run.withLock { run -> (ServiceGroup, Task<Void, Never>)? in
      defer { if case .fresh = run { run = .stopped } }
      guard case .serving(let group, let end) = run else { return nil }
      return (group, end)
    }
    guard let (group, end) = serving else { return }
    // The socket is removed first, so that no client connects to a socket where nothing listens any more.
    do throws(AuthError) { try await leavePlace() } catch {
      logger.warning("the socket stays, and the next server replaces it: \(error.message)")
    }
    await group.triggerGracefulShutdown()
    await end.value
  }

  /// Stops listening.
  public func stop(@_inheritActorContext completion: @escaping Completion<Void>) {
    callbacks.deliver(to: completion) { [self] () throws(AuthError) in try await typed { try await stop() } }
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

extension ServerResponse {
  /// The bytes of an HTTP/1.1 response that ends its connection.
  fileprivate var closing: [UInt8] {
    let fields = headers.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    let reason = HTTPResponseStatus(statusCode: status).reasonPhrase
    let head = "HTTP/1.1 \(status) \(reason)\r\n\(fields)Connection: close\r\n"
    return Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body
  }
}

extension Channel {
  /// Leaves all connections in the backlog.
  fileprivate func acceptNothing() async { try? await setOption(.autoRead, value: false).get() }

  /// Accepts no more connections than there may be, and keeps listening after one could not be accepted.
  fileprivate func acceptWithin(_ bounds: OpenConnections.Bounds, _ logger: Logger) async {
    let channel = self
    try? await eventLoop.submit {
      try channel.pipeline.syncOperations.addHandler(
        AcceptPause(limit: bounds.accepted, logger), position: .first)
    }.get()
  }
}

extension ServerAddress {
  /// Returns the address with the actual port.
  fileprivate func bound(to address: SocketAddress?) -> ServerAddress {
    guard case .host(let host, _) = self, let port = address?.port else { return self }
    return .host(host, port: port)
  }
}
