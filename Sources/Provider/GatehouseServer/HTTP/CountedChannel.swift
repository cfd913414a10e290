import GatehouseLocal
import GatehouseSystem
import HummingbirdCore
import Logging
import NIOCore

/// A connection that is counted, and refused if there are too many.
struct CountedChannel<Channel: ServerChildChannel>: ServerChildChannel {
  let channel: Channel
  let connections: OpenConnections
  /// Whether an address is of many clients, such as a proxy's.
  let isShared: @Sendable (NetworkAddress) -> Bool
  /// Divides the connections at a Unix socket; `nil` to limit those of each user.
  let divider: (any DividingHandler)?
  /// The answer to a refused connection; `nil` to close it without one.
  let refusal: ByteBuffer?

  func setup(channel: any NIOCore.Channel, logger: Logger) -> EventLoopFuture<Channel.Value> {
    let address = channel.remoteAddress?.ipAddress.flatMap { NetworkAddress($0) }
    let part = part(of: channel)
    let networks = address.map { isShared($0) ? [] : $0.networks } ?? (part == nil ? Self.otherUser(at: channel) : [])
    let admission = connections.admit(networks, part)
    channel.closeFuture.whenComplete { [connections] _ in connections.leave(admission, networks, part) }
    return self.channel.setup(channel: channel, logger: logger).flatMapThrowing { [refusal] value in
      guard admission != .admitted else { return value }
      let handler = RefusedConnection(answer: admission == .refused ? refusal : nil)
      try channel.pipeline.syncOperations.addHandler(handler, position: .first)
      return value
    }
  }

  func handle(value: Channel.Value, logger: Logger) async { await channel.handle(value: value, logger: logger) }

  /// The part of the connections that one at a Unix socket belongs to.
  private func part(of channel: any NIOCore.Channel) -> ConnectionPart? {
    guard let divider, case .unixDomainSocket? = channel.localAddress else { return nil }
    let peer = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
      try PeerProcess(of: $0, findsExecutable: false)
    }
    return divider.part(of: peer ?? nil, ofConnections: connections.count)
  }

  /// The user at the other end of a Unix socket, if it is neither this program's own nor root: its connections are
  /// counted like those of a network, so that they leave room for the others. Unknown users are counted together.
  private static func otherUser(at channel: any NIOCore.Channel) -> [NetworkAddress.Network] {
    guard case .unixDomainSocket? = channel.localAddress else { return [] }
    let told = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
      PeerProcess.user(of: $0)
    }
    let known = told ?? nil
    guard known != 0, !UserNamespace.isOwn(known) else { return [] }
    let user = known ?? .max
    return [.init(prefix: [0] + stride(from: 0, to: 32, by: 8).map { UInt8(truncatingIfNeeded: user >> $0) }, share: 1)]
  }
}

/// Answers a refused connection and closes it. Nothing that the client sends is read further.
private final class RefusedConnection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let answer: ByteBuffer?

  init(answer: ByteBuffer?) { self.answer = answer }

  func channelActive(context: ChannelHandlerContext) {
    guard let answer else { return context.close(promise: nil) }
    context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    context.close(mode: .output, promise: nil)
    // Until then, received data is dropped: closing with unread data resets the connection, and the answer may be lost.
    let channel = context.channel
    context.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed? = event as? ChannelEvent { context.close(promise: nil) }
  }
}
