import GatehouseBase

/// Finds the routes of a path.
struct RouteTable: Sendable {
  /// The routes without parameters, by the segments of their paths.
  private var fixed: [[ExactText]: [Route]] = [:]
  private var others: [Route] = []
  /// The routes of `fixed`, by method and path, for paths without percent signs, which most requests have.
  private var plain: [Plain: [(route: Route, parameters: [String: String])]] = [:]

  private struct Plain: Hashable {
    let method: ExactText
    let path: ExactText

    init(method: String, path: String) { (self.method, self.path) = (ExactText(method), ExactText(path)) }
  }

  init(_ routes: [Route]) {
    for route in routes {
      if route.path.isFixed, let segments = RoutePath.segments(of: route.path.description) {
        fixed[segments.map(ExactText.init), default: []].append(route)
        plain[Plain(method: route.method, path: route.path.description), default: []].append((route, [:]))
      } else {
        others.append(route)
      }
    }
  }

  /// Returns the routes for a request's path and method.
  func routes(for request: ServerRequest) throws(Refusal) -> [(route: Route, parameters: [String: String])] {
    if let found = plain[Plain(method: request.method, path: request.path)] { return found }
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
    if let routes = fixed[segments.map(ExactText.init)] { return routes.map { ($0, [:]) } }
    return others.compactMap { route in route.path.filled(by: segments).map { (route, $0) } }
  }
}
