import GatehouseBase
import GatehouseQueues
import Logging

/// Writes refused requests into the log, and bounds what programs of other users can write there.
///
/// The log has the first ten requests that one user's programs make in a minute, and the number of the others.
struct RefusalLog: Sendable {
  private struct Minute: Sendable {
    let begin: Double
    var count = 0
  }

  static let limit = 10
  /// More users than these share one entry.
  private static let maximumUsers = 1024

  private let logger: Logger
  private let minutes = Lock<[UInt32: Minute]>([:])

  init(_ logger: Logger) { self.logger = logger }

  /// - Parameters:
  ///   - user: the user whose program has asked; `nil` if the kernel does not tell.
  ///   - boot: the moment on the boot clock, in seconds.
  func write(_ text: @autoclosure () -> String, user: UInt32?, at boot: Double) {
    let (isShown, untold) = minutes.withLock { minutes -> (Bool, Int) in
      var key = user ?? .max
      if minutes[key] == nil, minutes.count >= Self.maximumUsers {
        minutes = minutes.filter { boot - $0.value.begin < 60 }
        if minutes.count >= Self.maximumUsers { key = .max }
      }
      var minute = minutes[key] ?? Minute(begin: boot), untold = 0
      if boot - minute.begin >= 60 {
        untold = max(0, minute.count - Self.limit)
        minute = Minute(begin: boot)
      }
      minute.count += 1
      minutes[key] = minute
      return (minute.count <= Self.limit, untold)
    }
    if untold > 0 { logger.warning("refused \(untold) more requests of user \(user.map { "\($0)" } ?? "unknown")") }
    if isShown { logger.warning("\(text())") }
  }
}
