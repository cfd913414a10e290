import GatehouseQueues
package import Logging

/// A log handler that keeps what it is told.
package struct LogLines: LogHandler {
  private let kept = Lock<[String]>([])
  package var metadata: Logger.Metadata = [:]
  package var logLevel = Logger.Level.trace

  package init() {}

  package var all: [String] { kept.withLock { $0 } }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) { kept.withLock { $0.append("\(event.message)") } }
}
