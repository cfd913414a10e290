/// Finds the routes of a path.
struct RouteTable: Sendable {
  /// Those whose path a request fills nothing in, by their path's segments.
  private var fixed: [[String]: [Route]] = [:]
  private var others: [Route] = []

  init(_ routes: [Route]) {
    for route in routes {
      if route.path.isFixed, let segments = RoutePath.segments(of: route.path.description) {
        fixed[segments, default: []].append(route)
      } else {
        others.append(route)
      }
    }
  }

  /// The routes of a request's path and method.
  func routes(for request: ServerRequest) throws(Refusal) -> [(route: Route, parameters: [String: String])] {
    guard let segments = RoutePath.segments(of: request.path) else { throw .notFound }
    let found = routes(at: segments)
    guard !found.isEmpty else { throw .notFound }
    let fitting = found.filter { $0.route.method == request.method }
    guard !fitting.isEmpty else { throw .methodNotAllowed(Set(found.map(\.route.method)).sorted()) }
    return fitting
  }

  /// All routes of a path, with what the path fills in.
  func routes(at segments: [String]) -> [(route: Route, parameters: [String: String])] {
    if let routes = fixed[segments] { return routes.map { ($0, [:]) } }
    return others.compactMap { route in route.path.filled(by: segments).map { (route, $0) } }
  }
}
