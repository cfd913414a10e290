import GatehouseBase

extension Route {
  /// The routes for load balancers and service managers.
  static let ofStatus: [Route] = [
    // The process answers; the provider is not checked.
    open("GET", "/healthz") { _ in ServerResponse(json: ["status": "ok"]) },
    // The provider's folder can be used and written to.
    open("GET", "/readyz") { routed in
      do throws(AuthError) { try await routed.scene.provider.requireWritable() } catch {
        // For every error, because 503 keeps a load balancer away.
        throw AuthError(.providerUnavailable, error.message)
      }
      return ServerResponse(json: ["status": "ready"])
    },
  ]

  /// The paths of these routes, which a load balancer may request at any rate.
  static let statusPaths = Set(ofStatus.map(\.path.description))

  /// The paths that web pages of every origin may read.
  static let pathsForEveryOrigin = (ofKeys + ofStatus).map(\.path.description)

  /// The route that shows the server's metrics.
  static func ofMetrics(_ metrics: PrometheusMetrics) -> [Route] {
    [open("GET", "/metrics") { _ in metrics.page }]
  }

  static func open(
    _ method: String, _ path: String, absent: JSONObject? = nil,
    _ answer: @escaping @Sendable (RoutedRequest) async throws -> ServerResponse
  ) -> Route {
    Route(
      method: method, path: RoutePath(path), access: .open, absent: absent.map { ServerResponse(json: $0) },
      answer: answer)
  }
}
