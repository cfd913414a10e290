import Dispatch
import GatehouseBase
import GatehouseQueues
import GatehouseSystem

/// Writes messages to standard error on a thread of its own: a reader that does not read must not keep a program from
/// its work. The newest ones are kept; how many were lost is said as soon as the reader reads.
final class MessageQueue: Sendable {
  private struct State: Sendable {
    var lines: [String] = []
    var lost = 0
    var isWriting = false
  }

  private static let maximum = 100
  private let state = Lock(State())
  private let writer = DispatchQueue(label: "gate.messages")

  /// Returns at once.
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

  /// Returns when all is written, or after a second.
  func finish() {
    let done = DispatchSemaphore(value: 0)
    writer.async { done.signal() }
    _ = done.wait(timeout: .now() + .seconds(1))
  }

  private func writeAll() {
    while let lines = next() { try? InheritedDescriptor.error.write(Array((lines + "\n").utf8)) }
  }

  /// The lines to write now.
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
