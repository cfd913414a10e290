import Logging

/// Writes what the engine has to say to standard error, a line each, as this program's other reasons are.
struct WatchLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.notice

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    StandardError.say("\(event.message)")
  }
}

extension Logger {
  static var watch: Logger { Logger(label: "gate") { _ in WatchLog() } }
}
