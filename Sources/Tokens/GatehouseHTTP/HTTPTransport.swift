public import GatehouseBase

/// Carries requests to servers and brings the answers back: the only way in which Gatehouse reaches a network.
///
/// Bring your own, or take `AsyncHTTPTransport` of `GatehouseAsyncHTTP`. Gatehouse calls it from any thread, many
/// requests at once, and never on the work queue; it may answer on any thread, and may call Gatehouse.
/// `GatehouseTesting` has a suite that holds an implementation to what is said here.
public protocol HTTPTransport: Sendable {
  /// Sends a request and returns the whole answer.
  ///
  /// Every status is an answer, also 404 and 500: what it means is the caller's business. A redirect is an answer too,
  /// unless the request asks to follow it. Nothing is kept between requests: no cookie, no cached answer, no
  /// credential. It ends within the request's timeout, and at once when its task is cancelled, whatever the server
  /// does.
  ///
  /// Throws:
  /// - `invalidArgument` and `insecureConnection` as `TransportRequest.check` does, before anything is sent;
  /// - `networkError` if the server cannot be reached, fails TLS verification, or closes the connection;
  /// - `deadlineExceeded` if the whole answer is not there in time;
  /// - `cancelled` if the task was cancelled;
  /// - `responseTooLarge` as soon as the body is longer than the request allows, without reading the rest;
  /// - `redirectRefused` for a redirect that must not be followed where following was asked for.
  func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse
}
