// Figures at an address of their own, which clients do not reach.
extension PrometheusMetrics: RequestHandler {
  /// Shows the figures at `/metrics`, and nothing else. Any thread; takes no queue.
  public func answer(_ request: ServerRequest) async -> ServerResponse {
    guard request.path == "/metrics" else { return Refusal.notFound.response }
    guard request.method == "GET" else { return Refusal.methodNotAllowed(["GET"]).response }
    return page
  }

  /// The figures, as Prometheus reads them.
  var page: ServerResponse {
    ServerResponse(
      status: 200,
      headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8", "Cache-Control": "no-store"],
      body: Array(text().utf8))
  }
}
