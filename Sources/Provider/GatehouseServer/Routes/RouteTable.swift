import GatehouseBase

/// Finds the routes of a path.
struct RouteTable: Sendable {
  /// The routes without parameters, by the segments of their paths.
  private var fixed: [[String]: [Route]] = [:]
  private var others: [Route] = []
  /// The routes of `fixed`, by method and path, for paths without percent signs, which most requests have.
  private var plain: [Plain: [(route: Route, parameters: [String: String])]] = [:]

  private struct Plain: Hashable {
    let method: String
    let path: String
  }

  init(_ routes: [Route]) {
    for route in routes {
      if route.path.isFixed, let segments = RoutePath.segments(of: route.path.description) {
        fixed[segments, default: []].append(route)
        plain[Plain(method: route.method, path: route.path.description), default: []].append((route, [:]))
      } else {
        others.append(route)
      }
    }
  }

  /// Returns the routes for a request's path and method.
  func routes(for request: ServerRequest) throws(Refusal) -> [(route: Route, parameters: [String: String])] {
    // A dictionary treats canonically equivalent strings as equal, so compare the bytes.
    if let found = plain[Plain(method: request.method, path: request.path)],
      found[0].route.path.description.isExactly(request.path)
    {
      return found
    }
    guard let segments = RoutePath.segments(of: request.path) else { throw .notFound }
    let found = routes(at: segments)
    guard !found.isEmpty else { throw .notFound }
    // The connection sends only the header.
    let method = request.method == "HEAD" ? "GET" : request.method
    let fitting = found.filter { $0.route.method == method }
    guard !fitting.isEmpty else { throw .methodNotAllowed(Set(found.map(\.route.method)).sorted()) }
    return fitting
  }

  /// Returns all routes of a path, with the values of its parameters.
  func routes(at segments: [String]) -> [(route: Route, parameters: [String: String])] {
    Steps.add(segments.count + others.count)
    // As above.
    if let routes = fixed[segments], routes[0].path.filled(by: segments) != nil { return routes.map { ($0, [:]) } }
    return others.compactMap { route in route.path.filled(by: segments).map { (route, $0) } }
  }
}
