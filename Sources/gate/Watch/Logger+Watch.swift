import Logging

extension Logger {
  /// Writes the engine's messages to standard error, one line each, in the same form as this program's errors.
  static var watch: Logger { Logger(label: "gate") { _ in MessageLog { StandardError.say($0) } } }
}
