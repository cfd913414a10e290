/// Answers requests. `HTTPServer` serves a handler; another web framework can do so in a few lines.
public protocol RequestHandler: Sendable {
  /// Answers one request. Usable from any thread, for any number of requests at once; the work is done on the
  /// provider's own threads.
  func answer(_ request: ServerRequest) async -> ServerResponse

  /// Returns the maximum length of one request's body, in bytes; `nil`, the default, for `HTTPLimits.bodyLength`.
  /// Called with a request without its body, and only if the body is longer than that or than 16 KiB, or of unknown
  /// length. A request with a length of its own has the part of `HTTPLimits.bodiesLength` that is for administrators.
  /// Usable from any thread.
  func bodyLength(of request: ServerRequest) async -> Int?
}

extension RequestHandler {
  /// `HTTPLimits.bodyLength`.
  public func bodyLength(of request: ServerRequest) async -> Int? { nil }
}
