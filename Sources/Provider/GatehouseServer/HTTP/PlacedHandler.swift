package import GatehouseLocal

/// A handler whose answers block, on its own threads. Its connections are served on those threads.
package protocol PlacedHandler: RequestHandler {
  /// The executor of its connections' tasks.
  var executor: any TaskExecutor { get }
  /// Whether connections from an address carry the requests of many clients.
  func isShared(_ address: NetworkAddress) -> Bool
  /// The networks of a request's client, which have their share of what all clients share; none if the client is not
  /// known, or is on this machine. Called with a request without its body.
  func networks(of request: ServerRequest) -> [NetworkAddress.Network]
  /// Whether an administrator has sent a request, by the credential in its header. Called with a request without its
  /// body.
  func isAdministrator(_ request: ServerRequest) async -> Bool
}

extension PlacedHandler {
  package func isShared(_ address: NetworkAddress) -> Bool { address.isLoopback }

  package func networks(of request: ServerRequest) -> [NetworkAddress.Network] {
    guard let address = request.peer.flatMap({ NetworkAddress($0) }), !isShared(address) else { return [] }
    return address.networks
  }

  package func isAdministrator(_ request: ServerRequest) async -> Bool { await bodyLength(of: request) != nil }
}
