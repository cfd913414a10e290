import GatehouseQueues
import Logging

/// Keeps the log messages of the stage's `Auth`.
final class StageLog: Sendable {
  private let lines = Lock<[String]>([])

  var logger: Logger {
    Logger(label: "gate.demo") { _ in MessageLog { line in self.lines.withLock { $0.append(line) } } }
  }

  /// Returns every message so far that contains the text.
  func messages(with text: String) -> [String] { lines.withLock { $0.filter { $0.contains(text) } } }

  /// Waits for a message that contains the text, and returns all such messages; after 20 seconds it returns what there
  /// is. A report looks up symbols, which takes long on a busy machine.
  func awaitMessages(with text: String) async throws -> [String] {
    let deadline = ContinuousClock.now + .seconds(20)
    while messages(with: text).isEmpty, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(5)) }
    return messages(with: text)
  }
}
