package import GatehouseBase

/// The door to time: work that begins on the work queue after a while, by the clocks that the app handed in.
package enum Alarms {
  /// Runs `body` on the work queue when `seconds` have passed on the boot clock, unless it is cancelled before.
  package static func after(
    _ seconds: Double, on clocks: any Clocks, _ body: @escaping @WorkQueue @Sendable () -> Void
  ) -> Handle {
    at(on: clocks, { Alarm(boot: $0.boot + seconds) }, then: body)
  }

  /// Runs `body` on the work queue at a moment that either clock may reach first, unless it is cancelled before.
  ///
  /// - Parameter moment: computes the moment from what the clocks show now, off the work queue.
  package static func at(
    on clocks: any Clocks, _ moment: @escaping @Sendable (ClockReading) -> Alarm,
    then body: @escaping @WorkQueue @Sendable () -> Void
  ) -> Handle {
    let isCancelled = Lock(false)
    let task = Task.detached {
      await clocks.sleep(until: moment(clocks.now()))
      guard !isCancelled.withLock({ $0 }) else { return }
      WorkQueue.async("alarm") {
        if !isCancelled.withLock({ $0 }) { body() }
      }
    }
    return Handle(task: task, isCancelled: isCancelled)
  }

  /// An alarm that has been set.
  package struct Handle: Sendable {
    fileprivate let task: Task<Void, Never>
    fileprivate let isCancelled: Lock<Bool>

    /// Called on the work queue: the body does not begin after this.
    package func cancel() {
      isCancelled.withLock { $0 = true }
      Background.cancel(task)
    }
  }
}
