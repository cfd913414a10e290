/// Answers requests. `HTTPServer` serves one; another web framework does so in a few lines.
public protocol RequestHandler: Sendable {
  /// Answers one request. Any thread, any number of requests at once; the work is done on the provider's own threads.
  func answer(_ request: ServerRequest) async -> ServerResponse
}
