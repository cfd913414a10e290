import GatehouseBase
import GatehouseQueues

/// Runs many schedules of one scenario, one after another, on a thread of its own.
final class Exploration: Sendable {
  private let progress = Lock(ScheduleReport())
  /// The scheduler and its first worker, from the start of the exploration.
  private let running = Lock<(scheduler: ControlledScheduler, root: Worker)?>(nil)

  var report: ScheduleReport { progress.withLock { $0 } }

  /// Runs `body` on the exploration's thread. Calls `ended` when it has returned, or can never return.
  func start(_ body: @escaping @Sendable (Exploration) -> Void, ended: @escaping @Sendable () -> Void) {
    let begin = SystemTime.monotonic
    let finish: @Sendable () -> Void = {
      Schedule.install(nil)
      CrashReporter.report(nil)
      self.progress.withLock { $0.duration = .nanoseconds(SystemTime.monotonic - begin) }
      ended()
    }
    let scheduler = ControlledScheduler { outcome in
      // The exploration's own thread waits in that schedule forever. A failure that was found earlier is kept.
      self.progress.withLock { report in
        if report.failure == nil { report.failure = ScheduleFailure(outcome) }
      }
      finish()
    }
    Schedule.install(scheduler)
    CrashReporter.report(scheduler)
    _ = Worker { worker in
      Schedule.stayOnOneProcessor()
      self.running.withLock { $0 = (scheduler, worker) }
      body(self)
      scheduler.close()
      finish()
    }
  }

  func explore(
    _ count: Int, seed: UInt64, strategy: ScheduleStrategy, _ scenario: @escaping Schedules.Scenario
  ) {
    var seen: Set<UInt64> = []
    var length = 0
    for index in 0..<max(count, 0) {
      let chooser = index == 0 ? .given([]) : strategy.chooser(of: index, seed: seed, length: length)
      guard let outcome = run(chooser, recordsTrace: index == 1, scenario) else { return }
      seen.insert(outcome.fingerprint)
      progress.withLock { report in
        report.schedules += 1
        report.steps += outcome.steps
        report.different = seen.count
      }
      length = max(outcome.picks.count, 1)
      if outcome.failure != nil { return settle(on: outcome, scenario) }
      // Not the first one: by now, one-time work of the process is done.
      if index == 1, let difference = difference(of: outcome, scenario) {
        var failure = ScheduleFailure(outcome)
        failure.message = "the scenario is not the same from run to run: \(difference)"
        failure.isUnsteady = true
        return note(failure)
      }
    }
  }

  func replay(_ schedule: String, _ scenario: @escaping Schedules.Scenario) {
    guard let picks = ScheduleString.decode(schedule) else {
      return note(ScheduleFailure(message: "this is not a schedule; copy the whole string", schedule: schedule))
    }
    _ = run(.given([]), scenario)  // one-time work of the process is done here
    guard let outcome = run(.given(picks), scenario) else { return }
    progress.withLock { report in
      report.schedules += 1
      report.steps += outcome.steps
    }
    if outcome.failure != nil { confirm(outcome, scenario) }
    if outcome.failure == nil, outcome.isForeign {
      note(ScheduleFailure(message: "this schedule is not of this scenario, or of another build", schedule: schedule))
    }
  }

  // MARK: After a failure

  /// Simplifies the failing schedule while it still fails.
  private func settle(on failed: ScheduleOutcome, _ scenario: @escaping Schedules.Scenario) {
    note(ScheduleFailure(failed))
    guard !failed.isStuck else { return }
    var best = failed
    var simpler = SimplerPicks(than: failed.picks)
    while let picks = simpler.next() {
      guard let outcome = run(.given(picks), scenario), outcome.failure != nil else { continue }
      best = outcome
      note(ScheduleFailure(outcome))
      simpler.settle(on: outcome.picks)
    }
    confirm(best, scenario)
  }

  /// Records a failure with its trace, and whether the schedule has the same result when it is run again.
  private func confirm(_ outcome: ScheduleOutcome, _ scenario: @escaping Schedules.Scenario) {
    var failure = ScheduleFailure(outcome)
    note(failure)
    guard !outcome.isStuck, let again = run(.given(outcome.picks), recordsTrace: true, scenario) else { return }
    failure.trace = again.trace
    failure.isUnsteady = again.fingerprint != outcome.fingerprint || again.failure != outcome.failure
    note(failure)
  }

  /// The first step that differs when a schedule is run again; `nil` if none does.
  private func difference(of outcome: ScheduleOutcome, _ scenario: @escaping Schedules.Scenario) -> String? {
    guard let again = run(.given(outcome.picks), recordsTrace: true, scenario),
      again.fingerprint != outcome.fingerprint
    else { return nil }
    let difference = zip(outcome.trace, again.trace).enumerated().first { $0.element.0 != $0.element.1 }
    return difference.map { "step \($0.offset + 1) is '\($0.element.0)' or '\($0.element.1)'" }
      ?? "it has \(outcome.steps) steps, or \(again.steps)"
  }

  private func note(_ failure: ScheduleFailure) { progress.withLock { $0.failure = failure } }

  private func run(
    _ chooser: Chooser, recordsTrace: Bool = false, _ scenario: @escaping Schedules.Scenario
  ) -> ScheduleOutcome? {
    guard let (scheduler, root) = running.withLock({ $0 }) else { return nil }
    return scheduler.run(chooser, on: root, recordsTrace: recordsTrace, scenario)
  }
}

extension ScheduleFailure {
  fileprivate init(_ outcome: ScheduleOutcome) {
    self.init(message: outcome.failure ?? "", schedule: ScheduleString.encode(outcome.picks))
  }
}
