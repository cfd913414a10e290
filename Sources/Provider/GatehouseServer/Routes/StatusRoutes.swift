import GatehouseBase

extension Route {
  /// What a load balancer and a service manager ask.
  static let ofStatus: [Route] = [
    // The process answers: nothing of the provider is looked at.
    open("GET", "/healthz") { _ in ServerResponse(json: ["status": "ok"]) },
    // The provider's folder can be used, and written to.
    open("GET", "/readyz") { routed in
      do throws(AuthError) { try await routed.scene.provider.requireWritable() } catch {
        // Whatever it is: 503 is what keeps a load balancer away.
        throw AuthError(.providerUnavailable, error.message)
      }
      return ServerResponse(json: ["status": "ready"])
    },
  ]

  /// Their paths, which a load balancer asks for as often as it likes.
  static let statusPaths = Set(ofStatus.map(\.path.description))

  /// What the server has measured.
  static func ofMetrics(_ metrics: PrometheusMetrics) -> [Route] {
    [open("GET", "/metrics") { _ in metrics.page }]
  }

  static func open(
    _ method: String, _ path: String, _ answer: @escaping @Sendable (RoutedRequest) async throws -> ServerResponse
  ) -> Route {
    Route(method: method, path: RoutePath(path), access: .open, answer: answer)
  }
}
