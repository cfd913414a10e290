import GatehouseQueues
import Logging

/// Passes log messages to the app's logger, in order, on a thread of its own: a log handler is the app's code. One that
/// never returns holds up the messages of its own `Auth` only.
final class EngineLog: Sendable {
  enum Level { case notice, warning, error }

  private let threads = PoolShare(width: 1)

  func write(_ level: Level, to logger: Logger, _ message: String) {
    _ = Background.start(on: threads) {
      switch level {
      case .notice: logger.notice("\(message)")
      case .warning: logger.warning("\(message)")
      case .error: logger.error("\(message)")
      }
    }
  }
}
