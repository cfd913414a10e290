package import GatehouseSystem

/// The part of a server's connections that some of the users at a Unix socket have. No other user can take it.
package struct ConnectionPart: Sendable, Hashable {
  /// The users, for the log: `user 1000`.
  package let name: String
  /// The maximum number of their connections.
  package let maximum: Int

  package init(_ name: String, maximum: Int) {
    self.name = name
    self.maximum = maximum
  }

  /// The key under which its connections are counted. No network has it.
  var key: [UInt8] { [0] + Array(name.utf8) }
}

/// A handler that divides the connections at a Unix socket among users.
package protocol DividingHandler: RequestHandler {
  /// Returns the part that a new connection belongs to. The parts together have `count` connections at most. Called on
  /// the threads of connections: it must not wait.
  ///
  /// - Parameter peer: the process at the other end, without its executable; `nil` if the kernel does not tell.
  func part(of peer: PeerProcess?, ofConnections count: Int) -> ConnectionPart
}
