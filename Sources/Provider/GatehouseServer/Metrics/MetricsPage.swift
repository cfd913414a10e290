// Serves the metrics at a separate address, which clients cannot reach.
extension PrometheusMetrics: RequestHandler {
  /// Returns the metrics at `/metrics`, and nothing else. Usable from any thread; does not wait for a queue.
  public func answer(_ request: ServerRequest) async -> ServerResponse {
    guard request.path == "/metrics" else { return Refusal.notFound.response }
    guard request.method == "GET" else { return Refusal.methodNotAllowed(["GET"]).response }
    return page
  }

  /// The metrics in Prometheus's format.
  var page: ServerResponse {
    ServerResponse(
      status: 200,
      headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8", "Cache-Control": "no-store"],
      body: Array(text().utf8))
  }
}
