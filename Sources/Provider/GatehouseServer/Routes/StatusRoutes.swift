import GatehouseBase

extension Route {
  /// What a load balancer and a service manager ask.
  static let ofStatus: [Route] = [
    // The process answers: nothing of the provider is looked at.
    open("GET", "/healthz") { _ in ServerResponse(json: ["status": "ok"]) },
    // The provider's folder can be used.
    open("GET", "/readyz") { routed in
      try await routed.scene.provider.open()
      return ServerResponse(json: ["status": "ready"])
    },
  ]

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
