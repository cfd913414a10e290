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
  /// The networks of a request's client, which have their share of what all clients share; none if the client is not
  /// known, or is on this machine. Called with a request without its body.
  func networks(of request: ServerRequest) -> [NetworkAddress.Network]
  /// Whether an administrator has sent a request, by the credential in its header. Called with a request without its
  /// body.
  func isAdministrator(_ request: ServerRequest) async -> Bool
}

extension PlacedHandler {
  package func check() throws(AuthError) {}
  package func refusesUnread(_ request: ServerRequest) -> Bool { false }
  package func isShared(_ address: NetworkAddress) -> Bool { address.isLoopback }

  package func networks(of request: ServerRequest) -> [NetworkAddress.Network] {
    guard let address = request.peer.flatMap({ NetworkAddress($0) }), !isShared(address) else { return [] }
    return address.networks
  }

  package func isAdministrator(_ request: ServerRequest) async -> Bool { await bodyLength(of: request) != nil }
}
