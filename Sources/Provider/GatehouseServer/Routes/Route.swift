import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import IdentityToolkit

/// A route: a method and a path, and the function that answers them.
struct Route: Sendable {
  /// The senders that may use a route.
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
  /// Whether the route imports accounts, of which a request may contain many.
  var isImport = false
  /// The answer for a project that does not exist, which the route does not begin; `nil` for a route that begins it.
  var absent: ServerResponse?
  /// Parses the call that a request makes, without carrying it out; `nil` for a route that is not a call.
  var call: (@Sendable (RoutedRequest) throws -> any Call)?
  let answer: @Sendable (RoutedRequest) async throws -> ServerResponse
}

/// A request with its route's parameters.
struct RoutedRequest: Sendable {
  let request: ServerRequest
  /// The values of the path's parameters.
  let parameters: [String: String]
  /// The items of the query.
  let query: [(name: String, value: String)]
  var scene: RouteScene
  /// The administrator's credential that the request has shown; `nil` if it has shown none.
  var administrator: AdministratorCredential?
  /// Whether the request has shown an administrator's credential.
  var isAdministrator: Bool { administrator != nil }

  /// The provider for the request's sender.
  var backend: CallerBackend { scene.provider.backend(for: caller) }

  /// The request's sender.
  var caller: Caller {
    var caller = Caller(address: request.peer, device: device)
    (caller.isAdministrator, caller.credential) = (isAdministrator, administrator)
    caller.isShared = request.isShared
    return caller
  }

  /// Returns the first item of the query with a name.
  func item(_ name: String) -> String? {
    Steps.add(query.count)
    return query.first { $0.name.isExactly(name) }?.value
  }
}

/// The state that all routes of a project share. One object, because every request holds it.
final class RouteScene: Sendable {
  let provider: LocalBackend
  let options: ServerOptions
  /// The other projects of an emulator; `nil` in the scene of one of them.
  let projects: EmulatorProjects?
  /// The latest certificates of the keys, by the names of the keys. A name is the hash of its key.
  let certificates = Lock(JSONObject())

  init(provider: LocalBackend, options: ServerOptions, projects: EmulatorProjects? = nil) {
    self.provider = provider
    self.options = options
    self.projects = projects
  }

  /// This scene, and those of the other projects that are open.
  var all: [RouteScene] {
    get async { [self] + (await projects?.scenes ?? []) }
  }
}
