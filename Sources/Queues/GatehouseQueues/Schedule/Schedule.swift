import CGatehouseWaits
import Synchronization

/// Whether a controlled scheduler runs this process's steps.
///
/// While none is installed, each call costs one relaxed load of a flag and goes to Dispatch.
package enum Schedule {
  private static let isOn = Atomic<Bool>(false)
  private static let scheduler = UnwatchedLock<(any StepScheduler)?>(nil)

  static var isInstalled: Bool { isOn.load(ordering: .relaxed) }

  /// The scheduler that runs the steps; `nil` when Dispatch does.
  package static var current: (any StepScheduler)? {
    isInstalled ? scheduler.withLock { $0 } : nil
  }

  /// Installs a scheduler; `nil` restores Dispatch. For a process without other activity: blocks that were queued
  /// before stay with Dispatch.
  package static func install(_ new: (any StepScheduler)?) {
    scheduler.withLock { $0 = new }
    isOn.store(new != nil, ordering: .sequentiallyConsistent)
  }

  /// Keeps the calling thread, and the threads that it starts later, on one processor. For threads that run one at a
  /// time: they hand over twice as fast there as to another processor that sleeps.
  package static func stayOnOneProcessor() { _ = gw_stay_here() }

  /// Records that the caller waits for something; `nil` when no scheduler is installed.
  static func wait(for description: @escaping @Sendable () -> String) -> Wait? {
    current.map { Wait(scheduler: $0, number: $0.beginWait(description)) }
  }

  /// A recorded wait.
  struct Wait: Sendable {
    let scheduler: any StepScheduler
    let number: Int

    func end() { scheduler.endWait(number) }
  }
}
