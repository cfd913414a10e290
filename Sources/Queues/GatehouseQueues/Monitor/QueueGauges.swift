import CGatehouseWaits
import GatehouseBase
import GatehouseWaits

/// The number of blocks that wait for each queue, and the time since which none of them has begun. Counted while the
/// monitor is on.
enum QueueGauges {
  private struct Gauge {
    let queue: WaitResource
    var pending = 0
    /// The time when a block last began, or when the first waiting one was submitted, in monotonic nanoseconds.
    var since: Int64
  }

  private static let gauges = UnwatchedLock([UInt64: Gauge]())

  /// Records that a block waits for a queue.
  static func submitted(_ thing: gw_thing) {
    gauges.withLock { gauges in
      let new = Gauge(
        queue: WaitResource(instance: thing.instance, classID: thing.class_id), since: SystemTime.monotonic)
      if gauges[thing.instance, default: new].pending == 0 { gauges[thing.instance] = new }
      gauges[thing.instance]?.pending += 1
    }
  }

  /// Records that a waiting block begins.
  static func begun(_ instance: UInt64) {
    gauges.withLock { gauges in
      guard var gauge = gauges[instance] else { return }
      gauge.pending -= 1
      gauge.since = SystemTime.monotonic
      gauges[instance] = gauge.pending > 0 ? gauge : nil
    }
  }

  /// The queues on which blocks wait and none has begun since `moment`.
  static func stuck(since moment: Int64) -> [Backlog] {
    gauges.withLock { $0.values.filter { $0.since < moment }.map { Backlog(queue: $0.queue, pending: $0.pending) } }
      .sorted { $0.queue.instance < $1.queue.instance }
  }
}
