import GatehouseSystem
package import Logging
package import NIOCore

/// Decides when a server accepts connections.
///
///     connections                            the server
///     fewer are open than there may be       accepts one at a time
///     as many are open                       accepts none until one has ended
///     one cannot be accepted                 accepts none for a second, or until one has ended
///     one was taken back by its client       goes on
///
/// A connection is open until its descriptor is closed, refused ones too. A server that accepts one does not know yet
/// what becomes of it: another thread decides on that, and would see a burst of connections too late.
///
/// NIO's `AcceptBackoffHandler` only delays the next read after a failure. The socket stays readable meanwhile, so that
/// the event loop tries again at once, and does nothing else.
package final class AcceptPause: ChannelDuplexHandler {
  package typealias InboundIn = any Channel
  package typealias InboundOut = any Channel
  package typealias OutboundIn = any Channel

  private static let length = TimeAmount.seconds(1)
  private let limit: Int
  private let logger: Logger
  private var open = 0
  private var accepts = true

  /// - Parameter limit: the number of connections that may be open at once.
  package init(limit: Int, _ logger: Logger) {
    self.limit = limit
    self.logger = logger
  }

  /// The last ones of several connections that are accepted at once would be above the limit.
  package func handlerAdded(context: ChannelHandlerContext) {
    try? context.channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
  }

  /// Other handlers ask for connections in a pause, too.
  package func read(context: ChannelHandlerContext) { if accepts { context.read() } }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let server = context.channel
    open += 1
    if open >= limit { accept(false, at: server) }
    unwrapInboundIn(data).closeFuture.hop(to: server.eventLoop).assumeIsolated().whenComplete { _ in
      self.open -= 1
      self.acceptAgain(at: server)
    }
    context.fireChannelRead(data)
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? IOError else { return context.fireErrorCaught(error) }
    let number = ErrorNumber(rawValue: error.errnoCode)
    guard number != .connectionAborted else { return }
    logger.error("a connection cannot be accepted: \(number.words)")
    let server = context.channel
    accept(false, at: server)
    server.eventLoop.assumeIsolated().scheduleTask(in: Self.length) { self.acceptAgain(at: server) }
  }

  private func acceptAgain(at server: any Channel) { if open < limit { accept(true, at: server) } }

  /// A server that is closed accepts none.
  private func accept(_ accepts: Bool, at server: any Channel) {
    self.accepts = accepts
    try? server.syncOptions?.setOption(.autoRead, value: accepts)
  }
}
