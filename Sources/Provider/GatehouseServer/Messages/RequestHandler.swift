/// Answers requests. `HTTPServer` serves one; another web framework does so in a few lines.
public protocol RequestHandler: Sendable {
  /// Answers one request. Any thread, any number of requests at once; the work is done on the provider's own threads.
  func answer(_ request: ServerRequest) async -> ServerResponse

  /// How long the body of one request may be, in bytes; `nil`, the default, for `HTTPLimits.bodyLength`. Asked with a
  /// request that has no body yet, and only if that is longer or of unknown length. Any thread.
  func bodyLength(of request: ServerRequest) async -> Int?
}

extension RequestHandler {
  /// `HTTPLimits.bodyLength`.
  public func bodyLength(of request: ServerRequest) async -> Int? { nil }
}

/// A handler whose answers block, on threads of its own: its connections are served there.
package protocol PlacedHandler: RequestHandler {
  /// Runs the tasks of its connections.
  var executor: any TaskExecutor { get }
}
