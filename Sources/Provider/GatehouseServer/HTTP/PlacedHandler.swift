package import GatehouseLocal

/// A handler whose answers block, on its own threads. Its connections are served on those threads.
package protocol PlacedHandler: RequestHandler {
  /// The executor of its connections' tasks.
  var executor: any TaskExecutor { get }
  /// Whether connections from an address carry the requests of many clients.
  func isShared(_ address: NetworkAddress) -> Bool
}

extension PlacedHandler {
  package func isShared(_ address: NetworkAddress) -> Bool { address.isLoopback }
}
