import CoreMetrics
import GatehouseBase
public import GatehouseLocal
import GatehouseQueues
package import IdentityToolkit
import Logging
import Tracing

/// Serves the Identity Toolkit protocol over HTTP for an identity provider in a folder. Firebase's clients and
/// Gatehouse's own can use it.
///
/// It is independent of web frameworks: `HTTPServer` serves it, and another framework needs a handler of a few lines.
/// Usable from any thread.
public final class IdentityServer: PlacedHandler {
  private let scene: RouteScene
  private let table: RouteTable
  /// The method and the path of each route.
  package let routes: [String]
  private let limiter: RateLimiter?
  /// Counts what pages that may not call read all the same: a page must not use up what its visitor's network may send.
  private let foreignLimiter: RateLimiter?
  private let measurement: Measurement
  /// `nil` without a tracer: creating a span for each request would be wasted work.
  private let tracer: (any Tracer)?
  private let origins: EmulatorOrigins?
  private let pages: PageOrigins
  /// The origins of refused pages that the log has.
  private let loggedOrigins = Lock<[String]>([])
  private let unnamedProxies = Lock(UnnamedProxies())

  /// Makes a server for a provider, which opens its folder at the first call.
  public init(_ provider: LocalBackend, options: ServerOptions = ServerOptions()) {
    let projects = options.emulator.flatMap { _ in options.emulatorProjects }
    scene = RouteScene(
      provider: provider, options: options, projects: projects.map { EmulatorProjects(options, make: $0) })
    origins = options.emulator.map { _ in EmulatorOrigins(options.emulatorOrigins, publicURL: options.publicURL) }
    let tracer = options.tracer ?? InstrumentationSystem.tracer
    self.tracer = tracer is NoOpTracer ? nil : tracer
    pages = PageOrigins(options.allowedOrigins, publicURL: options.publicURL)
    limiter = options.rateLimit.map { RateLimiter($0, clocks: options.clocks) }
    foreignLimiter = options.rateLimit.map { RateLimiter($0, clocks: options.clocks) }
    let shown = options.showsMetrics ? options.metrics : nil
    let routes =
      Route.ofClients + Route.ofAdministrators + Route.ofResources + Route.ofConfiguration + Route.ofProject
      + Route.ofKeys + Route.ofTokens + Route.ofStatus + (options.emulator == nil ? [] : Route.ofEmulator)
      + (shown.map(Route.ofMetrics) ?? [])
    table = RouteTable(routes)
    self.routes = routes.map { "\($0.method) \($0.path)" }
    measurement = Measurement(
      options.metrics ?? MetricsSystem.factory, methods: Set(routes.map(\.method) + ["OPTIONS"]))
  }

  package var executor: any TaskExecutor { scene.provider.executor }

  package func isShared(_ address: NetworkAddress) -> Bool {
    address.isLoopback || scene.options.trustedProxies.contains(address)
      || unnamedProxies.withLock { $0.presumed.contains(address) }
  }

  package func networks(of request: ServerRequest) -> [NetworkAddress.Network] {
    let client = scene.options.trustedProxies.client(of: request)
    guard !client.isShared, let address = client.address.flatMap({ NetworkAddress($0) }), !address.isLoopback else {
      return []
    }
    return address.networks
  }

  package func isAdministrator(_ request: ServerRequest) async -> Bool {
    guard (try? request.requireSingleFields()) != nil else { return false }
    return (try? await Credentials.administrator(fromItsClient(request), scene, counting: false)) != nil
  }

  /// Returns a request with the address of its client in place of the connection's.
  private func fromItsClient(_ request: ServerRequest) -> ServerRequest {
    var request = request
    (request.peer, request.isShared) = scene.options.trustedProxies.client(of: request)
    return request
  }

  package func check() throws(AuthError) { try scene.options.checkOrigins() }

  package func refusesUnread(_ request: ServerRequest) -> Bool {
    if let origins { return !origins.allow(request) }
    return sender(of: request) == .foreignPage && !Self.isForEveryOrigin(request)
  }

  /// Answers one request. Every failure becomes an answer in the protocol's format.
  public func answer(_ request: ServerRequest) async -> ServerResponse {
    warnOfProxy(request)
    let received = fromItsClient(request), begin = scene.options.clocks.now().boot
    guard let tracer else { return await measured(received, since: begin).response }
    var parent = InstrumentationContext.current ?? .topLevel
    tracer.extract(request.headers, into: &parent, using: TraceHeaders())
    return await tracer.withAnySpan("HTTP", context: parent, ofKind: .server) { span in
      let answer = await measured(received, since: begin)
      measurement.name(span, received.method, answer.route, status: answer.response.status)
      return answer.response
    }
  }

  /// Answers a request and counts it. `begin` is its arrival by the boot clock.
  private func measured(_ request: ServerRequest, since begin: Double) async -> Answer {
    let answer = await respond(to: request)
    measurement.count(
      request.method, answer.route, answer.response, refusal: answer.refusal?.word,
      seconds: max(scene.options.clocks.now().boot - begin, 0))
    return answer
  }

  /// Logs once that a proxy may be missing from the options: the limits then treat all its clients as one.
  private func warnOfProxy(_ request: ServerRequest) {
    guard scene.options.trustedProxies.ignoresWord(of: request) else { return }
    let isPresumed = scene.options.trustedProxies.presumesProxy(of: request)
    let presumed = isPresumed ? request.peer.flatMap { NetworkAddress($0) } : nil
    guard unnamedProxies.withLock({ $0.isFirst(presumed) }) else { return }
    scene.options.logger.warning(
      """
      a request with X-Forwarded-For or Forwarded comes from \(request.peer ?? "a Unix socket"), which is no trusted \
      proxy: if it is a proxy of yours, all clients behind it count as one, the wrong passwords of one lock out all, \
      and one may use up what all share; name it, and let it write X-Forwarded-For: --trusted-proxies, \
      ServerOptions.trustedProxies
      """)
  }

  /// The proxies that seem to be there and are not named.
  private struct UnnamedProxies: Sendable {
    private var hasWarned = false
    /// Their addresses, as far as they are presumed (`TrustedProxies.presumesProxy`).
    private(set) var presumed: Set<NetworkAddress> = []
    private static let maximum = 64

    /// Records a request from such a proxy, and returns whether it is the first one.
    mutating func isFirst(_ address: NetworkAddress?) -> Bool {
      if let address, presumed.count < Self.maximum { presumed.insert(address) }
      defer { hasWarned = true }
      return !hasWarned
    }
  }

  /// `ServerOptions.importLength` for an administrator's import, which may have a longer body.
  public func bodyLength(of request: ServerRequest) async -> Int? {
    guard request.method == "POST", let segments = RoutePath.segments(of: request.path),
      table.routes(at: segments).contains(where: { $0.route.isImport }), await isAdministrator(request)
    else { return nil }
    return scene.options.importLength
  }

  /// An answer, and the values that are measured.
  private struct Answer {
    /// The route's pattern, if there is one.
    var route: String?
    var response: ServerResponse
    var refusal: Refusal?
  }

  private func respond(to request: ServerRequest) async -> Answer {
    let sender = sender(of: request)
    // First, because the origin of the page decides who may read the answer, and because a page's request must cost its
    // visitor nothing.
    do throws(Refusal) {
      try request.requireSingleFields()
      try requireAllowedPage(sender, request)
    } catch {
      return Answer(response: error.response, refusal: error)
    }
    // Not limited: it does not use the provider, and without its answer a page could not even read that it has sent too
    // many requests.
    guard request.method != "OPTIONS" else { return preflight(request, sender) }
    var answer: Answer
    var found: Route?
    do {
      try requireEmulator(for: request)
      try limit(request, sender)
      let (route, routed) = try await find(request)
      found = route
      if request.hasEncodedBody { throw Refusal.encodedBody }
      answer = Answer(response: try await inItsProject(routed, route))
    } catch let error as Refusal {
      answer = Answer(response: error.response, refusal: error)
    } catch let error as AuthError {
      let refusal = Refusal(error)
      answer = Answer(response: refusal.response, refusal: refusal)
      if Refusal.isFailure(error) { scene.options.logger.error("\(request) failed: \(error)") }
    } catch {
      answer = Answer(response: Refusal.broken.response, refusal: .broken)
      scene.options.logger.error("\(request) failed: \(type(of: error))")
    }
    answer.route = found?.path.description
    if origins?.allow(request) != false { answer.response.allowOrigin(of: request) }
    return answer
  }

  private func preflight(_ request: ServerRequest, _ sender: PageOrigins.Sender) -> Answer {
    do throws(Refusal) { try requireEmulator(for: request) } catch {
      return Answer(response: error.response, refusal: error)
    }
    let permits = origins != nil || (scene.options.permitsPrivateNetwork && sender == .allowedPage)
    return Answer(response: .preflight(request, permitsPrivateNetwork: permits))
  }

  /// Returns the kind of a request's sender. For an emulator, `EmulatorOrigins` decides.
  private func sender(of request: ServerRequest) -> PageOrigins.Sender {
    origins == nil ? pages.sender(of: request, scene.provider.authorizedDomains) : .noPage
  }

  /// Whether pages of every origin may read the answer.
  private static func isForEveryOrigin(_ request: ServerRequest) -> Bool {
    ["GET", "HEAD", "OPTIONS"].contains(request.method)
      && Route.pathsForEveryOrigin.contains { $0.isExactly(request.path) }
  }

  /// Refuses a request of a page that may not call.
  private func requireAllowedPage(_ sender: PageOrigins.Sender, _ request: ServerRequest) throws(Refusal) {
    guard sender == .foreignPage, !Self.isForEveryOrigin(request) else { return }
    logForeignPage(request)
    throw .foreignOrigin
  }

  /// Logs each of the first origins that are refused: one of them may be the app's.
  private func logForeignPage(_ request: ServerRequest) {
    guard let origin = request.value(of: .origin) else { return }
    let shown = String(origin.printable().prefix(256))
    let isNew = loggedOrigins.withLock { logged in
      guard logged.count < Self.maximumLoggedOrigins, !logged.contains(where: { $0.isExactly(shown) }) else {
        return false
      }
      logged.append(shown)
      return true
    }
    guard isNew else { return }
    scene.options.logger.warning(
      """
      a web page of \(shown) was refused; if it is yours, name it: authorizedDomains, --allow-origin, \
      ServerOptions.allowedOrigins
      """)
  }

  private static let maximumLoggedOrigins = 16

  /// Refuses a request to an emulator from a web page that may not use it, and one to an emulator without an emulator's
  /// provider.
  private func requireEmulator(for request: ServerRequest) throws(Refusal) {
    guard let origins else { return }
    guard scene.provider.isEmulator else { throw .noEmulator }
    guard origins.allow(request) else { throw .foreignPage }
  }

  /// Refuses a request from an address that has sent too many.
  private func limit(_ request: ServerRequest, _ sender: PageOrigins.Sender) throws(Refusal) {
    guard let limiter = sender == .foreignPage ? foreignLimiter : limiter, !Route.statusPaths.contains(request.path),
      let address = request.peer.flatMap({ NetworkAddress($0) }),
      let seconds = limiter.delay(of: address)
    else { return }
    throw .tooManyRequests(retryAfter: seconds)
  }

  /// Returns the route of a request, if its sender is allowed to use it.
  private func find(_ request: ServerRequest) async throws -> (Route, RoutedRequest) {
    let fitting = try table.routes(for: request)
    let query = try request.queryItems(scene.options.json)
    try Credentials.requireOneKey(request, query)
    // A route that is open to every client checks no credential with the provider.
    let isOpen = fitting.allSatisfy { $0.route.access == .open }
    let administrator = isOpen ? nil : try await Credentials.administrator(request, scene)
    let isAdministrator = administrator != nil
    // A path may have a call for clients and one for administrators.
    let match = fitting.first { ($0.route.access == .administrator) == isAdministrator } ?? fitting[0]
    switch match.route.access {
    case .open: break
    case .key: if !isAdministrator { try Credentials.requireKey(request, query, scene.options) }
    case .administrator: guard isAdministrator else { throw Refusal.notAdministrator }
    }
    let routed = RoutedRequest(
      request: request, parameters: match.parameters, query: query, scene: scene, administrator: administrator)
    // A call has its tenant in its members too, and is checked when these are read.
    if match.route.call == nil, match.parameters["project"] != nil { try routed.requireOneTenant() }
    return (match.route, routed)
  }

  /// Answers a request in the project that it names: in the path, or in an administrator's `targetProjectId`.
  private func inItsProject(_ routed: RoutedRequest, _ route: Route) async throws -> ServerResponse {
    let own = scene.provider.audience
    guard let project = try routed.project(isImport: route.isImport), !project.isExactly(own) else {
      return try await route.answer(routed)
    }
    guard let projects = scene.projects else { throw Refusal.anotherProject(than: own) }
    let response = try await projects.use(project, begins: route.absent == nil) { scene in
      var routed = routed
      routed.scene = scene
      return try await route.answer(routed)
    }
    return response ?? route.absent ?? Refusal.absentProject.response
  }

  /// Closes the providers of an emulator's other projects, which this server has opened. The provider that it was made
  /// with stays open. Later requests to other projects are refused.
  package func closeProjects() async { await scene.projects?.close() }

  /// Parses a request as far as possible without the provider, for the fuzzer. Returns the calls that it makes, for a
  /// client and for an administrator, or a refusal.
  package func calls(of request: ServerRequest) -> [Result<any Call, RequestRefusal>] {
    do throws(Refusal) {
      let query = try request.queryItems(scene.options.json)
      return try table.routes(for: request).compactMap { route, parameters in
        let routed = RoutedRequest(request: request, parameters: parameters, query: query, scene: scene)
        return route.call.map { call in
          Result { try call(routed) }.mapError { RequestRefusal(response: ($0 as? Refusal ?? .broken).response) }
        }
      }
    } catch { return [.failure(RequestRefusal(response: error.response))] }
  }
}

/// A refusal of a request that cannot be read.
package struct RequestRefusal: Error {
  package let response: ServerResponse
}
