package import GatehouseBase

extension Timekeeper {
  /// Runs `body` on the work queue when `seconds` have passed on the boot clock, unless it is cancelled before.
  package func after(_ seconds: Double, _ body: @escaping @WorkQueue @Sendable () -> Void) -> Alarms.Handle {
    at({ Alarm(boot: $0.boot + seconds) }, then: body)
  }

  /// As `after`, and rings after as much real time if the clocks have not taken the alarm by then: a clock that never
  /// returns ends no wait.
  package func afterAtLatest(
    _ seconds: Double, _ body: @escaping @WorkQueue @Sendable () -> Void
  ) -> Alarms.Handle {
    at({ Alarm(boot: $0.boot + seconds) }, orAfter: seconds, on: WorkQueue.executor) { WorkQueue.isolated(body) }
  }

  /// Runs `body` on the work queue at a moment that either clock may reach first, unless it is cancelled before.
  ///
  /// - Parameter moment: computes the moment from the current reading of the clocks, off the work queue.
  package func at(
    _ moment: @escaping @Sendable (ClockReading) -> Alarm, then body: @escaping @WorkQueue @Sendable () -> Void
  ) -> Alarms.Handle {
    at(moment, on: WorkQueue.executor) { WorkQueue.isolated(body) }
  }
}
