package import GatehouseBase
package import GatehouseLocal

/// A handler whose answers block, on its own threads. Its connections are served on those threads.
package protocol PlacedHandler: RequestHandler {
  /// The executor of its connections' tasks.
  var executor: any TaskExecutor { get }
  /// Whether connections from an address carry the requests of many clients.
  func isShared(_ address: NetworkAddress) -> Bool
  /// Refuses a handler that cannot be served.
  func check() throws(AuthError)
  /// Whether a request is refused whatever its body contains, so that the body is not read.
  func refusesUnread(_ request: ServerRequest) -> Bool
}

extension PlacedHandler {
  package func check() throws(AuthError) {}
  package func refusesUnread(_ request: ServerRequest) -> Bool { false }
  package func isShared(_ address: NetworkAddress) -> Bool { address.isLoopback }
}
