package import GatehouseBase

/// The door to time: work that begins on the work queue after a while, by the clocks that the app handed in.
package enum Alarms {
  /// Runs `body` on the work queue when `seconds` have passed on the boot clock, unless it is cancelled before.
  package static func after(
    _ seconds: Double, on clocks: any Clocks, _ body: @escaping @WorkQueue @Sendable () -> Void
  ) -> Handle {
    Handle(
      Task.detached {
        await clocks.sleep(until: Alarm(boot: clocks.now().boot + seconds))
        guard !Task.isCancelled else { return }
        WorkQueue.async("alarm", body)
      })
  }

  /// Runs `body` on the work queue at a moment that either clock may reach first, unless it is cancelled before.
  ///
  /// - Parameter moment: computes the moment, off the work queue.
  package static func at(
    on clocks: any Clocks, _ moment: @escaping @Sendable () -> Alarm,
    then body: @escaping @WorkQueue @Sendable () -> Void
  ) -> Handle {
    Handle(
      Task.detached {
        await clocks.sleep(until: moment())
        guard !Task.isCancelled else { return }
        WorkQueue.async("alarm", body)
      })
  }

  /// An alarm that has been set.
  package struct Handle: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) { self.task = task }

    /// The body does not begin after this, if it has not begun.
    package func cancel() { task.cancel() }
  }
}
