import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// HTTP/1.1, with the requirements and the deadline that Hummingbird leaves out.
struct PlainChannel: ServerChildChannel {
  let http: HTTP1Channel
  /// The maximum time for sending a response.
  let responseTime: TimeAmount

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    http.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandler(RequestManners(), position: .after(parser))
      try pipeline.addHandler(ResponseDeadline(limit: responseTime), position: .first)
      return value
    }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async { await http.handle(value: value, logger: logger) }
}
