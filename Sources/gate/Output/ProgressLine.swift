import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import GatehouseSystem

/// A line on standard error that shows how far long work has come, and is rewritten while it goes on. Nothing is
/// written if standard error is no terminal.
final class ProgressLine: Sendable {
  private struct State: Sendable {
    var shownAt = -1.0
    /// The number of characters of the line that is shown.
    var length = 0
  }

  private let isShown = InheritedDescriptor.error.isTerminal
  private let clocks = SystemClocks()
  private let began: Double
  private let state = Lock(State())

  init() { began = clocks.now().boot }

  /// Shows the progress, at most ten times a second.
  func show(_ progress: UserFileProgress) {
    guard isShown else { return }
    let now = clocks.now().boot
    let length = state.withLock { state -> Int? in
      guard now - state.shownAt >= 0.1 else { return nil }
      state.shownAt = now
      return state.length
    }
    guard let length else { return }
    let rate = Int(Double(progress.users) / max(now - began, 0.1))
    let text = "\(Int(progress.fraction * 100)) %, \(counted(progress.users, "account")), \(rate) a second"
    write("\r" + text + String(repeating: " ", count: max(length - text.count, 0)))
    state.withLock { $0.length = text.count }
  }

  /// Removes the line, before something else is written.
  func clear() {
    let length = state.withLock { state in
      defer { state.length = 0 }
      return state.length
    }
    if length > 0 { write("\r" + String(repeating: " ", count: length) + "\r") }
  }

  private func write(_ text: String) { try? InheritedDescriptor.error.write(Array(text.utf8)) }
}
