import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// A connection behind TLS, whose certificate can change, unlike that of Hummingbird's own TLS channel.
struct SecureChannel<Plain: ServerChildChannel>: ServerChildChannel {
  let plain: Plain
  let certificate: ServerCertificate

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Plain.Value> {
    channel.eventLoop.makeCompletedFuture {
      guard let context = certificate.context else { throw ChannelError.ioOnClosedChannel }
      try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
    }.flatMap { plain.setup(channel: channel, logger: logger) }
  }

  func handle(value: Plain.Value, logger: Logger) async { await plain.handle(value: value, logger: logger) }
}
