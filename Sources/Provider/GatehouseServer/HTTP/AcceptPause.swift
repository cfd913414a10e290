import GatehouseSystem
import Logging
import NIOCore

/// Keeps a server listening when a connection cannot be accepted, for example for lack of file descriptors. Otherwise
/// the server would end. It accepts no connection in the second after that.
///
/// NIO's `AcceptBackoffHandler` only delays the next read. The socket stays readable meanwhile, so that the event loop
/// tries again at once, and does nothing else.
final class AcceptPause: ChannelInboundHandler {
  typealias InboundIn = any Channel

  private static let length = TimeAmount.seconds(1)
  private let logger: Logger

  init(_ logger: Logger) { self.logger = logger }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? IOError else { return context.fireErrorCaught(error) }
    logger.error("a connection cannot be accepted: \(ErrorNumber(rawValue: error.errnoCode).words)")
    let channel = context.channel
    channel.setOption(.autoRead, value: false).whenSuccess {
      channel.eventLoop.scheduleTask(in: Self.length) { channel.setOption(.autoRead, value: true) }
    }
  }
}
