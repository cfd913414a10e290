import NIOCore

/// Closes a connection whose client does not take what was written to it, or does not close its side after the server
/// has closed its own.
///
/// Sits next to the socket.
final class ResponseDeadline: ChannelOutboundHandler {
  typealias OutboundIn = IOData

  private let limit: TimeAmount
  /// The deadlines of the writes that the socket has not taken, oldest first. The deadline of the client's own close is
  /// the last one.
  private var unwritten: CircularBuffer<NIODeadline> = []
  private var timer: Scheduled<Void>?

  init(limit: TimeAmount) { self.limit = limit }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    unwritten.append(.now() + limit)
    let promise = promise ?? context.eventLoop.makePromise()
    promise.futureResult.assumeIsolated().whenComplete { [self] _ in _ = unwritten.popFirst() }
    context.write(data, promise: promise)
  }

  func flush(context: ChannelHandlerContext) {
    context.flush()
    // Almost every response is taken at once and needs no timer.
    watch(context)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    context.close(mode: mode, promise: promise)
    guard mode == .output else { return }
    unwritten.append(.now() + limit)
    watch(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  private func watch(_ context: ChannelHandlerContext) {
    guard timer == nil, let deadline = unwritten.first else { return }
    timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [self] in
      timer = nil
      guard let oldest = unwritten.first else { return }
      if oldest <= .now() { context.close(promise: nil) } else { watch(context) }
    }
  }
}
