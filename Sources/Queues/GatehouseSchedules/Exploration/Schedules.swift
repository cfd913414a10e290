import Dispatch
import GatehouseQueues

/// Runs code that is written against `GatehouseQueues` under many schedules: one after the other, each in an order of
/// steps that was picked, with a clock of its own. A schedule that fails is reported as a string, and the string runs
/// it again.
///
///     let report = Schedules.explore(10_000) { context in
///       let auth = Auth(.init(backend: backend, callbackQueue: context.callbackQueue, clocks: context.clocks, …))
///       …
///       await context.settle()
///       context.check(auth.currentUser == nil, "a late refresh brought the user back")
///     }
///     #expect(report.failure == nil)
///
/// What is controlled: the work queue, task queues, background work, callbacks, alarms, synchronous calls, and the
/// tasks and actors of Swift. What is not: raw dispatch queues, threads, the main actor, `Task.yield` and `Task.sleep`
/// (the context has both), and time or random numbers that are not the context's. Code that bypasses the scheduler is
/// detected when it next calls a queue of `GatehouseQueues`.
///
/// The whole process is taken over while schedules run, so it must have nothing else to do: an executable, or the child
/// of an exit test. The calling thread waits. Let `SWIFT_DETERMINISTIC_HASHING=1` be set, or the order of a dictionary
/// may change from run to run.
public enum Schedules {
  /// The code that is run: once for each schedule, on the schedule's threads. A thrown error fails the schedule.
  public typealias Scenario = @Sendable (ScheduleContext) async throws -> Void

  /// Tries schedules until one fails.
  ///
  /// A schedule fails when a `check` does, when the scenario throws, or when nothing can run any more and the scenario
  /// has not ended. The failing schedule is simplified, by trying simpler ones.
  ///
  /// - Parameters:
  ///   - count: how many schedules; in the first one, the oldest step always runs.
  ///   - seed: the same seed gives the same schedules.
  ///   - strategy: how the next step is picked.
  ///   - scenario: runs once for each schedule, from nothing.
  public static func explore(
    _ count: Int, seed: UInt64 = 1, strategy: ScheduleStrategy = .mixed, _ scenario: @escaping Scenario
  ) -> ScheduleReport {
    run { $0.explore(count, seed: seed, strategy: strategy, scenario) }
  }

  /// Runs the schedule of a failure twice, to check that both runs are the same.
  ///
  /// - Parameters:
  ///   - schedule: the failure's `schedule`, of this build of this program.
  ///   - scenario: the scenario that failed.
  public static func replay(_ schedule: String, _ scenario: @escaping Scenario) -> ScheduleReport {
    run { $0.replay(schedule, scenario) }
  }

  private static func run(_ body: @escaping @Sendable (Exploration) -> Void) -> ScheduleReport {
    guard GlobalExecutor.takeOver() else {
      var report = ScheduleReport()
      report.failure = ScheduleFailure(
        message: "this Swift runtime has no hook by which its tasks can be controlled", schedule: "-")
      return report
    }
    let exploration = Exploration()
    // The caller is not part of the schedules: it waits for all of them, and nothing in them waits for it.
    let ended = DispatchSemaphore(value: 0)
    exploration.start(body) { ended.signal() }
    ended.wait()
    return exploration.report
  }
}
