import CoreMetrics
import GatehouseBase
public import GatehouseLocal
import GatehouseQueues
package import IdentityToolkit
import Logging
import Tracing

/// Speaks the Identity Toolkit protocol over HTTP, for an identity provider in a folder: what Firebase's own clients
/// and ours talk to.
///
/// Of no web framework: `HTTPServer` serves it, and in another one a handler of a few lines does. Any thread.
public final class IdentityServer: PlacedHandler {
  private let scene: RouteScene
  private let table: RouteTable
  private let limiter: RateLimiter?
  private let measurement: Measurement
  private let hasWarnedOfProxy = Lock(false)

  /// Makes a server of a provider, which opens its folder at the first call.
  public init(_ provider: LocalBackend, options: ServerOptions = ServerOptions()) {
    scene = RouteScene(provider: provider, options: options)
    limiter = options.rateLimit.map { RateLimiter($0, clocks: options.clocks) }
    let shown = options.showsMetrics ? options.metrics : nil
    let routes =
      Route.ofClients + Route.ofAdministrators + Route.ofResources + Route.ofConfiguration + Route.ofProject
      + Route.ofKeys + Route.ofTokens + Route.ofStatus + (options.emulator.map(Route.ofEmulator) ?? [])
      + (shown.map(Route.ofMetrics) ?? [])
    table = RouteTable(routes)
    measurement = Measurement(
      options.metrics ?? MetricsSystem.factory, methods: Set(routes.map(\.method) + ["OPTIONS"]))
  }

  package var executor: any TaskExecutor { scene.provider.executor }

  /// Answers one request. Every failure is an answer, in the form that the protocol's clients read.
  public func answer(_ request: ServerRequest) async -> ServerResponse {
    var request = request
    warnOfProxy(request)
    request.peer = scene.options.trustedProxies.client(of: request)
    let received = request, clocks = scene.options.clocks, begin = clocks.now().boot
    let tracer = scene.options.tracer ?? InstrumentationSystem.tracer
    var parent = InstrumentationContext.current ?? .topLevel
    tracer.extract(request.headers, into: &parent, using: TraceHeaders())
    return await tracer.withAnySpan("HTTP", context: parent, ofKind: .server) { span in
      let answer = await respond(to: received)
      measurement.count(
        received.method, answer.route, answer.response, refusal: answer.refusal?.word,
        seconds: max(clocks.now().boot - begin, 0))
      measurement.name(span, received.method, answer.route, status: answer.response.status)
      return answer.response
    }
  }

  /// Says once that a proxy is perhaps not named: then all its clients are one to the limits.
  private func warnOfProxy(_ request: ServerRequest) {
    guard scene.options.trustedProxies.ignoresWord(of: request) else { return }
    let isFirst = hasWarnedOfProxy.withLock { hasWarned in
      defer { hasWarned = true }
      return !hasWarned
    }
    guard isFirst else { return }
    scene.options.logger.warning(
      """
      a request with X-Forwarded-For comes from \(request.peer ?? "a Unix socket"), which is no trusted proxy: if it \
      is a proxy of yours, all clients behind it count as one, and the wrong passwords of one lock out all; name it: \
      --trusted-proxies, ServerOptions.trustedProxies
      """)
  }

  /// An administrator may send a longer body with an import: `ServerOptions.importLength`.
  public func bodyLength(of request: ServerRequest) async -> Int? {
    guard request.method == "POST", let segments = RoutePath.segments(of: request.path),
      table.routes(at: segments).contains(where: { $0.route.isImport }),
      (try? await Credentials.isAdministrator(request, scene)) == true
    else { return nil }
    return scene.options.importLength
  }

  /// An answer, and what is measured of it.
  private struct Answer {
    /// The route's pattern, if there is one.
    var route: String?
    var response: ServerResponse
    var refusal: Refusal?
  }

  private func respond(to request: ServerRequest) async -> Answer {
    // Not counted by the limiter: it asks nothing of the provider, and without its answer a page cannot even read that
    // it has sent too much.
    guard request.method != "OPTIONS" else { return Answer(response: .preflight(request)) }
    var answer: Answer
    var found: Route?
    do {
      try limit(request)
      let (route, routed) = try await find(request)
      found = route
      answer = Answer(response: try await route.answer(routed))
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
    answer.response.allowOrigin(of: request)
    return answer
  }

  /// Refuses a request of an address that has sent too many.
  private func limit(_ request: ServerRequest) throws(Refusal) {
    guard let limiter, !Route.statusPaths.contains(request.path),
      let address = request.peer.flatMap({ NetworkAddress($0) }),
      let seconds = limiter.delay(of: address)
    else { return }
    throw .tooManyRequests(retryAfter: seconds)
  }

  /// The items of a request's query.
  private func query(of request: ServerRequest) throws(Refusal) -> [(name: String, value: String)] {
    guard let query = request.query.map(FormEncoding.decode) ?? [] else { throw .invalid("the query is malformed") }
    return query
  }

  /// The route of a request, if its sender may take it.
  private func find(_ request: ServerRequest) async throws -> (Route, RoutedRequest) {
    let fitting = try table.routes(for: request)
    let query = try self.query(of: request)
    // What is open to every client asks the provider about no credential.
    let isOpen = fitting.allSatisfy { $0.route.access == .open }
    let isAdministrator = isOpen ? false : try await Credentials.isAdministrator(request, scene)
    // A path may have a call for clients and one for administrators.
    let match = fitting.first { ($0.route.access == .administrator) == isAdministrator } ?? fitting[0]
    switch match.route.access {
    case .open: break
    case .key: if !isAdministrator { try Credentials.requireKey(request, query, scene.options) }
    case .administrator: guard isAdministrator else { throw Refusal.notAdministrator }
    }
    let routed = RoutedRequest(
      request: request, parameters: match.parameters, query: query, scene: scene, isAdministrator: isAdministrator)
    return (match.route, routed)
  }

  /// Reads a request as far as it can be read without the provider, for the fuzzer: the calls that it makes, to a
  /// client and to an administrator; or a refusal.
  package func calls(of request: ServerRequest) -> [Result<any Call, RequestRefusal>] {
    do throws(Refusal) {
      let query = try self.query(of: request)
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
