import GatehouseQueues
import Logging

/// Passes log messages to the app's logger, in order, on a background queue: a log handler is the app's code.
enum EngineLog {
  enum Level { case notice, warning, error }

  private static let queue = BackgroundQueue(label: "gatehouse.log", width: 1)

  static func write(_ level: Level, to logger: Logger, _ message: String) {
    queue.async {
      switch level {
      case .notice: logger.notice("\(message)")
      case .warning: logger.warning("\(message)")
      case .error: logger.error("\(message)")
      }
    }
  }
}
