import Dispatch
import GatehouseQueues

/// Runs code that is written against `GatehouseQueues` under many schedules. They run one after another, each in its
/// own order of steps and with its own clock. A schedule that fails is reported as a string, and the string runs it
/// again.
///
///     let report = Schedules.explore(10_000) { context in
///       let auth = Auth(.init(backend: backend, callbackQueue: context.callbackQueue, clocks: context.clocks, …))
///       …
///       await context.settle()
///       context.check(auth.currentUser == nil, "a late refresh brought the user back")
///     }
///     #expect(report.failure == nil)
///
/// Controlled: the work queue, task queues, background work, callbacks, alarms, synchronous calls, and the tasks and
/// actors of Swift. Not controlled: raw dispatch queues, threads, the main actor, `Task.yield` and `Task.sleep` (the
/// context has replacements for both), and time or random numbers that are not the context's. Code that bypasses the
/// scheduler is detected when it next calls a queue of `GatehouseQueues`.
///
/// Schedules take over the whole process while they run, so it must have nothing else to do: use an executable, or the
/// child of an exit test. The calling thread waits. Set `SWIFT_DETERMINISTIC_HASHING=1`, or the order of a dictionary
/// may change from run to run.
public enum Schedules {
  /// The code to run, once for each schedule, on the schedule's threads. A thrown error fails the schedule.
  public typealias Scenario = @Sendable (ScheduleContext) async throws -> Void

  /// Tries schedules until one fails.
  ///
  /// A schedule fails if a `check` fails, if the scenario throws, or if nothing can run any more and the scenario has
  /// not ended. The failing schedule is simplified, by trying simpler ones.
  ///
  /// - Parameters:
  ///   - count: the number of schedules. In the first one, the oldest step always runs.
  ///   - seed: the same seed gives the same schedules.
  ///   - strategy: the way in which the next step is picked.
  ///   - scenario: runs once for each schedule, from the start.
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
    // The caller is not part of the schedules: it waits for all of them, and they never wait for it.
    let ended = DispatchSemaphore(value: 0)
    exploration.start(body) { ended.signal() }
    ended.wait()
    return exploration.report
  }
}
