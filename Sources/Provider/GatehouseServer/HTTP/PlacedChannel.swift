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
    await withTaskExecutorPreference(executor) { await channel.handle(value: value, logger: logger) }
  }
}
