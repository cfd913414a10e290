import GatehouseBase
public import GatehouseLocal
import Logging

/// Speaks the Identity Toolkit protocol over HTTP, for an identity provider in a folder: what Firebase's own clients
/// and ours talk to.
///
/// Of no web framework: `HTTPServer` serves it, and in another one a handler of a few lines does. Any thread.
public final class IdentityServer: RequestHandler {
  private let scene: RouteScene
  private let table: RouteTable

  /// Makes a server of a provider, which opens its folder at the first call.
  public init(_ provider: LocalBackend, options: ServerOptions = ServerOptions()) {
    scene = RouteScene(provider: provider, options: options)
    table = RouteTable(
      Route.ofClients + Route.ofAdministrators + Route.ofProject + Route.ofKeys + Route.ofTokens
        + Route.ofStatus + (options.emulator.map(Route.ofEmulator) ?? [])
    )
  }

  /// Answers one request. Every failure is an answer, in the form that the protocol's clients read.
  public func answer(_ request: ServerRequest) async -> ServerResponse {
    guard request.method != "OPTIONS" else { return .preflight(request) }
    var response: ServerResponse
    do {
      let (route, routed) = try await find(request)
      response = try await route.answer(routed)
    } catch let error as Refusal {
      response = error.response
    } catch let error as AuthError {
      response = Refusal(error).response
      if Refusal.isFailure(error) { scene.options.logger.error("\(request) failed: \(error)") }
    } catch {
      response = Refusal.broken.response
      scene.options.logger.error("\(request) failed: \(type(of: error))")
    }
    response.allowOrigin(of: request)
    return response
  }

  /// The route of a request, if its sender may take it.
  private func find(_ request: ServerRequest) async throws -> (Route, RoutedRequest) {
    guard let segments = RoutePath.segments(of: request.path) else { throw Refusal.notFound }
    let found = table.routes(at: segments)
    guard !found.isEmpty else { throw Refusal.notFound }
    let fitting = found.filter { $0.route.method == request.method }
    guard !fitting.isEmpty else { throw Refusal.methodNotAllowed(Set(found.map(\.route.method)).sorted()) }
    guard let query = request.query.map(FormEncoding.decode) ?? [] else {
      throw Refusal.invalid("the query is malformed")
    }
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
}
