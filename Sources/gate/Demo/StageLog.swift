import GatehouseQueues
import Logging

/// Keeps what the stage's `Auth` logs.
final class StageLog: Sendable {
  private let lines = Lock<[String]>([])

  var logger: Logger { Logger(label: "gate.demo") { _ in Handler(log: self) } }

  /// Every message so far with some text in it.
  func messages(with text: String) -> [String] { lines.withLock { $0.filter { $0.contains(text) } } }

  /// The messages with some text in them, once there is one, or what there is after 20 seconds: a report looks up
  /// symbols, which a busy machine is slow to find.
  func awaitMessages(with text: String) async throws -> [String] {
    let deadline = ContinuousClock.now + .seconds(20)
    while messages(with: text).isEmpty, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(5)) }
    return messages(with: text)
  }

  private struct Handler: LogHandler {
    let log: StageLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let line = "\(event.message)"
      log.lines.withLock { $0.append(line) }
    }
  }
}
