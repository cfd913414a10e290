import GatehouseBase
import GatehouseQueues
import Logging

/// Writes refused requests into the log, and bounds what their programs can write there.
///
/// The log has the first ten requests in a minute of each part of the connections (`ConnectionPart`), and the number of
/// the others. So the users that no rule admits have ten lines together, whatever number of users they are.
struct RefusalLog: Sendable {
  private struct Minute: Sendable {
    let begin: Double
    var count = 0
  }

  static let limit = 10

  private let logger: Logger
  private let minutes = Lock<[[UInt8]: Minute]>([:])

  init(_ logger: Logger) { self.logger = logger }

  /// - Parameters:
  ///   - part: the name of the users' part of the connections.
  ///   - boot: the moment on the boot clock, in seconds.
  func write(_ text: @autoclosure () -> String, of part: String, at boot: Double) {
    let (isShown, untold) = minutes.withLock { minutes -> (Bool, Int) in
      let key = Array(part.utf8)
      var minute = minutes[key] ?? Minute(begin: boot), untold = 0
      if boot - minute.begin >= 60 {
        untold = max(0, minute.count - Self.limit)
        minute = Minute(begin: boot)
      }
      minute.count += 1
      minutes[key] = minute
      return (minute.count <= Self.limit, untold)
    }
    if untold > 0 { logger.warning("refused \(untold) more requests of \(part)") }
    if isShown { logger.warning("\(text())") }
  }
}
