public import Dispatch
import GatehouseBase
import GatehouseQueues

/// The environment of a scenario: clocks, random numbers and a callback queue that are the same in every run of one
/// schedule. Made anew for each schedule.
public final class ScheduleContext: Sendable {
  /// The schedule's clocks: their time passes only when nothing else can happen.
  public let clocks: ScheduleClocks
  /// Random numbers that are the same in every schedule.
  public let random = ScheduleRandomSource()
  /// A serial queue for callbacks. Blocks for the main queue are steps as well, and may run on any thread.
  public let callbackQueue = DispatchQueue(label: "schedule.callbacks")
  private let scheduler: ControlledScheduler

  init(_ scheduler: ControlledScheduler) {
    self.scheduler = scheduler
    clocks = ScheduleClocks(scheduler)
  }

  /// Fails the schedule if the condition does not hold. Only the first failure is reported. Continues in either case.
  /// Usable from any step.
  public func check(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { scheduler.fail(message()) }
  }

  /// Waits until nothing else can happen without time passing.
  public func settle() async {
    await withCheckedContinuation { continuation in scheduler.whenSettled { continuation.resume() } }
  }

  /// Lets other steps run first, if the schedule picks so. `Task.yield` would bypass the scheduler.
  public func yield() async {
    await withCheckedContinuation { continuation in
      scheduler.async("yield", on: .concurrent, after: 0) { continuation.resume() }
    }
  }

  /// Waits until a duration has passed on the schedule's clocks. `Task.sleep` would bypass the scheduler.
  public func sleep(for duration: Duration) async {
    await clocks.sleep(until: Alarm(boot: clocks.now().boot + duration.inSeconds))
  }
}
