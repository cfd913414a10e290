import GatehouseQueues
import Logging

/// Keeps the log messages of the stage's `Auth`.
final class StageLog: Sendable {
  private let lines = Lock<[String]>([])
  /// An element for each message; only the newest one is kept.
  private let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  var logger: Logger {
    Logger(label: "gatehouse.demo") { _ in
      Handler { [lines, arrived] line in
        lines.withLock { $0.append(line) }
        arrived.yield()
      }
    }
  }

  /// Returns every message so far that contains the text.
  private func messages(with text: String) -> [String] { lines.withLock { $0.filter { $0.contains(text) } } }

  /// Waits for a message that contains the text, and returns all such messages. For one task at a time.
  ///
  /// A report looks up symbols, which takes long on a busy machine. So this waits as long as it takes, and the tour's
  /// limit ends a wait for a message that never comes.
  func awaitMessages(with text: String) async -> [String] {
    if messages(with: text).isEmpty { for await _ in arrivals where !messages(with: text).isEmpty { break } }
    return messages(with: text)
  }

  /// Passes on the text of each message, without metadata.
  private struct Handler: LogHandler {
    let write: @Sendable (String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { write("\(event.message)") }
  }
}
