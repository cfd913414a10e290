import GatehouseQueues
import Logging

/// A log handler that keeps what it is told.
struct Lines: LogHandler {
  private let kept = Lock<[String]>([])
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  var all: [String] { kept.withLock { $0 } }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { kept.withLock { $0.append("\(event.message)") } }
}
