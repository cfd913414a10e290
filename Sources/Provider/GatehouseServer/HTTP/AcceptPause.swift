import GatehouseSystem
package import Logging
package import NIOCore

/// Keeps a server listening when a connection cannot be accepted, for example for lack of file descriptors. It accepts
/// no connection in the second after that. A client that takes its own connection back costs the others nothing.
///
/// NIO's `AcceptBackoffHandler` only delays the next read. The socket stays readable meanwhile, so that the event loop
/// tries again at once, and does nothing else.
package final class AcceptPause: ChannelInboundHandler {
  package typealias InboundIn = any Channel

  private static let length = TimeAmount.seconds(1)
  private let logger: Logger

  package init(_ logger: Logger) { self.logger = logger }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? IOError else { return context.fireErrorCaught(error) }
    let number = ErrorNumber(rawValue: error.errnoCode)
    guard number != .connectionAborted else { return }
    logger.error("a connection cannot be accepted: \(number.words)")
    let channel = context.channel
    channel.setOption(.autoRead, value: false).whenSuccess {
      channel.eventLoop.scheduleTask(in: Self.length) { channel.setOption(.autoRead, value: true) }
    }
  }
}
