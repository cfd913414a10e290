import CGatehouseWaits
import GatehouseBase
import GatehouseWaits

/// Looks whether this process hangs.
enum StallWatch {
  /// What is wrong; nil if no thread has waited for too long.
  ///
  /// Only a cycle of threads is certain. The monitor does not see the program's timers, nor what its other threads wait
  /// for, so every other finding is a note: it lasts as long as the waits, and stops no process.
  ///
  /// - Parameter limit: how long a wait must have lasted, in nanoseconds.
  static func finding(after limit: Int64) -> HangFinding? {
    let moment = SystemTime.monotonic - limit
    let main = WaitIdentity.main.instance
    return HangAnalysis(
      threads: WatchedThread.all(waitingSince: moment), backlogs: QueueGauges.stuck(since: moment),
      isMain: { $0.instance == main }
    ).finding(.ofThisProcess)
  }
}
