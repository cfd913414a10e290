import CGatehouseWaits
import Dispatch

/// Placeholder until the queues branch lands.
final class DrainWatch: Sendable {
  private struct State: Sendable {
    var pending = 0
    var isRunning = false
    var delivered: UInt64 = 0
    var isWatched = false
    var wasReported = false
  }
  private let label: String
  private let patience: DispatchTimeInterval
  private let stalled: @Sendable (String) -> Void
  private let state = Lock(State())

  init(label: String, patience: DispatchTimeInterval, stalled: @escaping @Sendable (String) -> Void) {
    self.label = label
    self.patience = patience
    self.stalled = stalled
  }
  func willDeliver() {
    let mustWatch = state.withLock { state in
      state.pending += 1
      defer { state.isWatched = true }
      return !state.isWatched && !state.wasReported
    }
    if mustWatch { watch() }
  }
  func began() {
    state.withLock {
      $0.pending -= 1
      $0.delivered += 1
      $0.isRunning = true
    }
  }
  func ended() { state.withLock { $0.isRunning = false } }

  private func watch() {
    let seen = state.withLock { $0.delivered }
    DispatchQueue.global(qos: .utility).concurrentStep("watch", after: patience) { [self] in
      enum Finding { case idle, moving, stuck(Int) }
      let finding: Finding = state.withLock { state in
        if state.pending == 0 {
          state.isWatched = false
          return .idle
        }
        guard state.delivered == seen, !state.isRunning else { return .moving }
        state.wasReported = true
        return .stuck(state.pending)
      }
      switch finding {
      case .idle: break
      case .moving: watch()
      case .stuck(let count):
        if gw_is_on() { WaitMonitor.noteUndrained(label, count) }
        stalled(
          """
          \(count) callback(s) wait for the queue \(label), and nobody drains it. Either run it \
          (RunLoop.main.run(), dispatchMain(), or an async main function), or set Configuration.callbackQueue to \
          another queue or use the async calls.
          """)
      }
    }
  }
}
