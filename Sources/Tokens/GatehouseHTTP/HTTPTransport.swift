public import GatehouseBase

/// Sends requests to servers and returns the responses: the only way in which Gatehouse reaches a network.
///
/// Use your own, or `AsyncHTTPTransport` of `GatehouseAsyncHTTP`. Gatehouse calls it from any thread, with many
/// concurrent requests, and never on the work queue. It may return on any thread, and may call Gatehouse.
/// `GatehouseTesting` has a suite that checks an implementation against this contract.
public protocol HTTPTransport: Sendable {
  /// Sends a request and returns the whole response.
  ///
  /// Every status is a response, also 404 and 500: the caller interprets it. A redirect is a response too, unless the
  /// request asks to follow it. Nothing is kept between requests: no cookie, no cached response, no credential. The
  /// call ends within the request's timeout, and at once when its task is cancelled, whatever the server does.
  ///
  /// Throws:
  /// - `invalidArgument` and `insecureConnection` as `TransportRequest.check` does, before anything is sent;
  /// - `networkError` if the server cannot be reached, fails TLS verification, or closes the connection;
  /// - `deadlineExceeded` if the whole response has not arrived in time;
  /// - `cancelled` if the task was cancelled;
  /// - `responseTooLarge` as soon as the body is longer than the request allows, without reading the rest;
  /// - `redirectRefused` if the request asks to follow redirects and one must not be followed.
  func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse
}
