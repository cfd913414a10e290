import Dispatch
import GatehouseBase
import GatehouseQueues
import GatehouseSystem

/// Writes messages to standard error on a thread of its own, so that a reader that has stopped reading cannot keep the
/// program from its work. The newest messages are kept. How many were lost is reported as soon as the reader reads
/// again.
final class MessageQueue: Sendable {
  private struct State: Sendable {
    var lines: [String] = []
    var lost = 0
    var isWriting = false
  }

  private static let maximum = 1000
  private let state = Lock(State())
  private let writer = DispatchQueue(label: "gate.messages")

  /// Returns at once, before the line is written.
  func write(line: String) {
    let begins = state.withLock { state in
      state.lines.append(line)
      if state.lines.count > Self.maximum {
        state.lines.removeFirst()
        state.lost += 1
      }
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if begins { writer.async { [self] in writeAll() } }
  }

  /// Waits until everything is written, but at most a second.
  func finish() {
    let done = DispatchSemaphore(value: 0)
    writer.async { done.signal() }
    _ = done.wait(timeout: .now() + .seconds(1))
  }

  private func writeAll() {
    while let lines = next() { try? InheritedDescriptor.error.write(Array((lines + "\n").utf8)) }
  }

  /// The lines to write next.
  private func next() -> String? {
    state.withLock { state in
      guard !state.lines.isEmpty else {
        state.isWriting = false
        return nil
      }
      let lost = state.lost > 0 ? ["gate: \(counted(state.lost, "earlier message")) could not be written"] : []
      defer { (state.lines, state.lost) = ([], 0) }
      return (lost + state.lines).joined(separator: "\n")
    }
  }
}
