import GatehouseSystem
import HummingbirdCore
import Logging
import NIOCore

/// A connection whose requests are answered on the executor of its handler.
struct PlacedChannel<Channel: ServerChildChannel>: ServerChildChannel {
  let channel: Channel
  /// The executor; `nil` for Swift's default.
  let executor: (any TaskExecutor)?

  func setup(channel: any NIOCore.Channel, logger: Logger) -> EventLoopFuture<Channel.Value> {
    self.channel.setup(channel: channel, logger: logger)
  }

  func handle(value: Channel.Value, logger: Logger) async {
    let peer = await ConnectionPeer(of: value.channel)
    await ConnectionPeer.$current.withValue(peer) {
      await withTaskExecutorPreference(executor) { await channel.handle(value: value, logger: logger) }
    }
  }
}

/// The program at the other end of a connection through a Unix socket. The kernel is asked once for a connection.
final class ConnectionPeer: Sendable {
  /// The process at the other end of the connection whose request is being answered.
  @TaskLocal static var current: ConnectionPeer?

  let process: PeerProcess

  /// `nil` for a connection over the network, and for one that was closed already.
  init?(of channel: any NIOCore.Channel) async {
    guard case .unixDomainSocket? = channel.localAddress else { return nil }
    let asked = channel.eventLoop.submit {
      try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
        try PeerProcess(of: $0)
      }
    }
    guard let process = try? await asked.get() else { return nil }
    self.process = process
  }
}
