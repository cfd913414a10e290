import CGatehouseWaits
import Dispatch
import GatehouseBase

/// Detects that nothing drains a queue: a delivery is pending, none runs, and none has begun for `patience`.
///
/// The wait is counted from the moment when the oldest pending delivery could have begun: when it was queued, or when
/// the delivery before it ended. So a slow queue that makes progress is never reported, nor is one whose delivery takes
/// long. The report comes when the wait has lasted `patience`, or at most an eighth of that later, plus the delay of
/// the system's timers: Dispatch allows itself a tenth.
///
/// While deliveries are pending, one timer at a time ticks eight times in `patience`. The watch counts ticks without
/// progress, and any progress restarts the count. So a delivery costs a few stores and reads no clock, and the watch
/// works in schedules, where only the scheduler knows the time.
package final class DrainWatch: Sendable {
  private struct State: Sendable {
    /// The number of deliveries that were queued and have not begun.
    var pending = 0
    var isRunning = false
    /// Whether a tick is scheduled.
    var isTicking = false
    var wasReported = false
    /// The number of whole ticks without progress. -1: there was progress in the current tick, so it does not count.
    var quietTicks = 0
  }

  private enum Finding { case nothing, goesOn, stalled(pending: Int) }

  private static let ticksInPatience = 8

  private let label: String
  /// In seconds.
  private let tick: Double
  private let stalled: @Sendable (String) -> Void
  private let state = Lock(State())

  /// - Parameters:
  ///   - label: the queue's name in the report.
  ///   - patience: the time that the oldest pending delivery may wait while none begins.
  ///   - stalled: called once when it has waited longer, on a background thread.
  package init(label: String, patience: Duration, stalled: @escaping @Sendable (String) -> Void) {
    self.label = label
    self.stalled = stalled
    // At least a millisecond, so that the ticks cost little; at most a year: Dispatch counts nanoseconds in 64 bits.
    tick = min(max(patience.inSeconds / Double(Self.ticksInPatience), 1e-3), 3.15e7)
  }

  /// Records that a delivery is queued. Call it before the delivery can begin.
  package func willDeliver() {
    let begins = state.withLock { state in
      if state.pending == 0 { state.quietTicks = -1 }
      state.pending += 1
      guard !state.isTicking, !state.wasReported else { return false }
      state.isTicking = true
      state.quietTicks = 0
      return true
    }
    if begins { tickOnce() }
  }

  /// Records that a delivery begins. Deliveries begin one at a time.
  package func began() {
    state.withLock { state in
      state.pending -= 1
      state.isRunning = true
    }
  }

  /// Records that the delivery has ended.
  package func ended() {
    state.withLock { state in
      state.isRunning = false
      state.quietTicks = -1
    }
  }

  private func tickOnce() {
    DispatchQueue.global(qos: .utility).async(concurrentStep: "watch", after: tick) { [self] in
      switch state.withLock({ Self.look(&$0) }) {
      case .nothing: break
      case .goesOn: tickOnce()
      case .stalled(let pending): report(pending)
      }
    }
  }

  private static func look(_ state: inout State) -> Finding {
    guard state.pending > 0 else {
      state.isTicking = false  // the next delivery starts the ticks again
      return .nothing
    }
    state.quietTicks = state.isRunning ? -1 : state.quietTicks + 1
    guard state.quietTicks >= ticksInPatience else { return .goesOn }
    state.isTicking = false
    state.wasReported = true
    return .stalled(pending: state.pending)
  }

  private func report(_ pending: Int) {
    if gw_is_on() { WaitMonitor.noteUndrained(label, pending) }
    stalled(
      """
      \(counted(pending, "callback waits", "callbacks wait")) for the queue \(label), and nothing drains it. \
      Either run it \
      (RunLoop.main.run(), dispatchMain(), or an async main function), or set Configuration.callbackQueue to \
      another queue, or use the async calls. A closure that is isolated to the main actor, as all are that are written \
      in top-level code, comes on main whatever that queue is.
      """)
  }
}
