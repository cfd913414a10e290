import CGatehouseWaits
import GatehouseBase

/// Looks whether this process hangs.
struct StallWatch {
  /// What is wrong, and whether no time will mend it: others may only be slow.
  let finding: (report: WaitReport, isCertain: Bool)?

  /// - Parameter limit: how long a wait must have lasted, in nanoseconds.
  init(limit: Int64) {
    let moment = SystemTime.monotonic - limit
    let main = SerialQueue.main.thing.instance
    let stuck = QueueGauges.stuck(since: moment)
    let still = Standstill(
      threads: WatchedThread.all(askingSince: moment), backlogs: stuck, isMain: { $0.instance == main })
    let names = WaitNames.ofThisProcess
    if still.blocked.isEmpty {
      finding = nil
    } else if let circle = still.circle {
      finding = (still.report(circle: circle, names), true)
    } else {
      let report =
        still.undrained(names, countsBusy: true) ?? still.heldUp(names)
        ?? (stuck.isEmpty ? still.waiting(names) : still.exhausted(pending: stuck.reduce(0) { $0 + $1.pending }, names))
      finding = report.map { ($0, false) }
    }
  }
}
