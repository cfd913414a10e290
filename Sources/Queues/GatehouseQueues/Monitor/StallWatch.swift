import CGatehouseWaits
import GatehouseBase
import GatehouseWaits

/// Checks whether this process hangs.
enum StallWatch {
  /// Returns what is wrong; `nil` if no thread has waited for too long.
  ///
  /// Only a cycle of threads is certain. The monitor does not see the program's timers, nor what its other threads wait
  /// for. So every other finding is a note: it lasts as long as the waits, and does not stop the process.
  ///
  /// - Parameter limit: the minimum duration of a wait that counts, in nanoseconds.
  static func finding(after limit: Int64) -> HangFinding? {
    let moment = SystemTime.monotonic - limit
    let main = WaitIdentity.main.instance
    return HangAnalysis(
      threads: WatchedThread.all(waitingSince: moment), backlogs: QueueGauges.stuck(since: moment),
      isMain: { $0.instance == main }
    ).finding(.ofThisProcess)
  }
}
