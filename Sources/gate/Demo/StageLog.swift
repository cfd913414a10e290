import GatehouseQueues
import Logging

/// Keeps what the stage's `Auth` logs.
final class StageLog: Sendable {
  private let lines = Lock<[String]>([])

  var logger: Logger {
    Logger(label: "gate.demo") { _ in MessageLog { line in self.lines.withLock { $0.append(line) } } }
  }

  /// Every message so far with some text in it.
  func messages(with text: String) -> [String] { lines.withLock { $0.filter { $0.contains(text) } } }

  /// The messages with some text in them, once there is one, or what there is after 20 seconds: a report looks up
  /// symbols, which a busy machine is slow to find.
  func awaitMessages(with text: String) async throws -> [String] {
    let deadline = ContinuousClock.now + .seconds(20)
    while messages(with: text).isEmpty, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(5)) }
    return messages(with: text)
  }
}
