import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// HTTP/1.1 behind TLS. Hummingbird's own has one certificate for ever.
struct SecureChannel: ServerChildChannel {
  let plain: HTTP1Channel
  let certificate: ServerCertificate

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    channel.eventLoop.makeCompletedFuture {
      guard let context = certificate.context else { throw ChannelError.ioOnClosedChannel }
      try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
    }.flatMap { plain.setup(channel: channel, logger: logger) }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async { await plain.handle(value: value, logger: logger) }
}
