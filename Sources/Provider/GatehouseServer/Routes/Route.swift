import GatehouseBase
import GatehouseLocal
import IdentityToolkit

/// What a path answers.
struct Route: Sendable {
  /// Who may make a call.
  enum Access: Sendable {
    /// Every client.
    case open
    /// A client with an API key, or an administrator.
    case key
    /// An administrator.
    case administrator
  }

  let method: String
  let path: RoutePath
  let access: Access
  /// Whether it takes accounts from elsewhere, of which a request may hold many.
  var isImport = false
  /// Reads the call that a request makes, and does no more; `nil` for a route that is no call.
  var call: (@Sendable (RoutedRequest) throws -> any Call)?
  let answer: @Sendable (RoutedRequest) async throws -> ServerResponse
}

/// A request that has found its route.
struct RoutedRequest: Sendable {
  let request: ServerRequest
  /// What the request's path fills in.
  let parameters: [String: String]
  /// The items of the query.
  let query: [(name: String, value: String)]
  let scene: RouteScene
  /// Whether it has shown an administrator's credential.
  var isAdministrator = false

  /// The provider as its sender sees it.
  var backend: CallerBackend {
    var caller = Caller(address: request.peer)
    caller.isAdministrator = isAdministrator
    return scene.provider.backend(for: caller)
  }

  /// The first item of the query that has a name.
  func item(_ name: String) -> String? { query.first { $0.name.isExactly(name) }?.value }
}

/// What all routes share.
struct RouteScene: Sendable {
  let provider: LocalBackend
  let options: ServerOptions
}
