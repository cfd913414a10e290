import CGatehouseWaits
import Dispatch
import Foundation
import GatehouseBase
public import GatehouseWaits
import Logging

/// Finds deadlocks before they happen: it observes which thread waits for which resource while it holds another, and
/// reports the first wait that closes a cycle, in a run that does not hang.
///
/// Off by default. It sees the queues, locks, semaphores and groups of this module, and the SDK's own work. `gate
/// queuecheck` sees plain dispatch queues and pthread mutexes. Neither sees `Synchronization.Mutex` and actors.
///
/// All members may be used from any thread.
public enum WaitMonitor {
  /// The monitor's action on a report.
  public enum Policy: Sendable {
    /// Writes it to the log, as an error under the label `gatehouse.waits`.
    case log
    /// Stops the process and prints the report to standard error. A report of waits that may only be slow is logged.
    case stop
    /// Keeps it in `reports` only.
    case keep
  }

  private struct Finding: Sendable {
    let report: WaitReport
    /// The test that it belongs to; 0: none.
    let scope: UInt64
    /// Whether waiting longer cannot help.
    let isCertain: Bool
    /// The resource that the first wait of a cycle was for.
    let asked: UInt64?

    /// A cycle that only the main queue keeps apart is a note.
    init(_ cycle: DependencyCycle) {
      report = WaitReport(cycle: cycle, .ofThisProcess, isApartByMain: cycle.isKeptApartByMain)
      scope = cycle.scope
      isCertain = !cycle.isKeptApartByMain
      asked = cycle.dependencies.first?.to.instance
    }

    init(_ report: WaitReport, scope: UInt64, isCertain: Bool = true) {
      self.report = report
      self.scope = scope
      self.isCertain = isCertain
      asked = nil
    }
  }

  private struct State {
    var graph = Dependencies()
    var membership = Membership()
    var findings: [Finding] = []
    var reported = ReportedCycles()
    var names: [UInt64: Set<String>] = [:]
    var policy: Policy?
    var suppressions = Suppressions()
    var scopes: Set<UInt64> = []
    var lastScope: UInt64 = 0
    var unattributed: [String: Int] = [:]
    var stallWatch = 0
    var slowBlock: Duration = .milliseconds(250)

    /// Forgets the observations in a test, or outside all tests.
    mutating func forget(scope: UInt64) {
      if scopes.isEmpty, policy == nil { graph = Dependencies() } else { graph.forget(scope: scope) }
      reported.forget(scope: scope)
      names[scope] = nil
    }
  }

  private static let state = UnwatchedLock(State())

  /// Turns the monitor on for the whole process, or changes the settings of one that is on.
  ///
  /// - Parameters:
  ///   - policy: what to do with each report.
  ///   - suppressions: known findings, which are not reported until they expire.
  ///   - slowBlock: the maximum processor time of a block on the SDK's work queue; a longer one is reported.
  ///   - stall: a hang that lasts this long is reported; nil: never.
  public static func start(
    _ policy: Policy = .log, suppressing suppressions: Suppressions = Suppressions(),
    slowBlock: Duration = .milliseconds(250), stall: Duration? = .seconds(10)
  ) {
    let run = state.withLock { state in
      state.policy = policy
      state.suppressions = suppressions
      state.slowBlock = slowBlock
      // The watch of an earlier start sees the new number and ends.
      state.stallWatch += 1
      switchOn()
      return state.stallWatch
    }
    // Only now, because a watch that finds no policy ends.
    if let stall { watchForStalls(after: stall, run) }
  }

  /// Turns the monitor off, except for tests with the deadlock trait. Reports are kept; everything else is forgotten.
  public static func stop() {
    state.withLock { state in
      state.policy = nil
      state.forget(scope: 0)
      if state.scopes.isEmpty { switchOff() }
    }
  }

  /// All findings since the process began, oldest first, without those that are suppressed at this moment.
  public static var reports: [WaitReport] {
    conclude { $0.membership.ended() }
    return reports(of: nil)
  }

  /// The losses of the monitor since it was turned on, one line for each kind: it had no room or no time for them. If
  /// there are any, `reports` may lack a finding.
  public static var omissions: [String] { lossesOfRecorder + state.withLock { $0.graph.omissions() } }

  /// The number of waits for each semaphore or group whose giver is unknown, by its name and site.
  ///
  /// The graph has no edges for such waits, though they could be part of a cycle. Declare the queue that gives the
  /// signal.
  public static var unattributedWaits: [String: Int] { state.withLock { $0.unattributed } }

  /// Turns the monitor on if the environment says so (`GATEHOUSE_WAITS=log` or `stop`) and the program has not turned
  /// it on. Read when the first queue is made.
  static let environment: Void = {
    let policies: [String: Policy] = ["log": .log, "stop": .stop]
    guard let policy = ProcessInfo.processInfo.environment["GATEHOUSE_WAITS"].flatMap({ policies[$0] }),
      state.withLock({ $0.policy == nil })
    else { return }
    start(policy)
  }()

  private static var now: Date { Date(timeIntervalSince1970: SystemClocks().wall) }

  /// This and `switchOff` are called with the lock held, so that no thread turns off what another has just turned on.
  private static func switchOn() {
    beginRecording()
    gw_set_main(WaitIdentity.main)
  }

  private static func switchOff() {
    gw_end()
    gw_forget()
  }

  /// Checks four times in each limit while the monitor is on, on a thread of its own, because the pool may be
  /// exhausted.
  private static func watchForStalls(after limit: Duration, _ run: Int) {
    let nanoseconds = max(Int64(clamping: limit / .nanoseconds(1)), 0)
    Thread.detachNewThread {
      while true {
        // No other thread waits for this one. A timer would need a thread of the pool.
        Thread.sleep(forTimeInterval: max(Double(nanoseconds) / 4e9, 0.01))
        guard state.withLock({ $0.stallWatch == run && $0.policy != nil }) else { return }
        let finding = StallWatch.finding(after: nanoseconds)
        withdrawNotes(except: finding?.report)
        if let finding {
          note(finding.report, scope: 0, isCertain: finding.isCertain)
        }
      }
    }
  }

  // MARK: - Tests that run side by side

  @TaskLocal package static var scope: UInt64 = 0

  /// The test that work queued now belongs to.
  static var scopeToCarry: UInt64 {
    let scope = scope
    return scope == 0 ? gw_scope() : scope
  }

  /// Whether a block that begins now is watched. One that was queued in a test still belongs to that test if it begins
  /// while the monitor is off, between two tests: the next may begin while it runs.
  static func concerns(_ scope: UInt64) -> Bool { gw_is_on() || scope != 0 }

  /// Runs a block that was queued in a test. The test is set for the thread, so the block must be synchronous.
  static func carrying(_ work: CarriedWork, _ block: () -> Void) {
    let before = gw_scope()
    gw_set_scope(work.scope)
    work.asMember(block)
    gw_set_scope(before)
  }

  /// Runs a test with a graph of its own, and returns the findings in it. The queues and locks that it makes belong to
  /// it.
  package static func watching(
    suppressing suppressions: Suppressions = Suppressions(), _ body: () async throws -> Void
  ) async throws -> [WaitReport] {
    let scope = state.withLock { state in
      state.lastScope += 1
      state.scopes.insert(state.lastScope)
      switchOn()
      return state.lastScope
    }
    defer {
      state.withLock { state in
        state.scopes.remove(scope)
        state.forget(scope: scope)
        state.findings.removeAll { $0.scope == scope }
        if state.scopes.isEmpty, state.policy == nil { switchOff() }
      }
    }
    try await $scope.withValue(scope) { try await body() }
    conclude { $0.membership.ends(scope) }
    let now = now
    return reports(of: scope).filter { !suppressions.covers($0, at: now) }
  }

  /// The cycles that only the main queue keeps apart, in the test that the caller runs in.
  package static var notes: [WaitReport] {
    let scope = scopeToCarry
    return state.withLock { $0.findings.filter { $0.scope == scope }.map(\.report).filter(\.isNote) }
  }

  private static func reports(of scope: UInt64?) -> [WaitReport] {
    let (findings, suppressions) = state.withLock { state in
      (state.findings.filter { scope == nil || $0.scope == scope }, state.suppressions)
    }
    let now = now
    return findings.map(\.report).filter { !$0.isNote }.filter { !suppressions.covers($0, at: now) }
  }

  // MARK: - Observations

  /// Adds a new dependency from the recorder, on the thread that is about to wait.
  static func take(_ dependency: Dependency) {
    let asking = scopeToCarry
    let found: DependencyCycle? = state.withLock { state in
      var dependency = dependency.assumed
      // Late work of a test that has ended belongs to no other test. A wait of a thread for itself is still reported.
      if asking != 0, !state.scopes.contains(asking), dependency.reason != .selfWait { return nil }
      // A queue that was made in a test and outlives it belongs to no test.
      if !state.scopes.contains(dependency.scope) { dependency.scope = 0 }
      for group in dependency.undecided {
        state.membership.note(
          group: group.instance, thread: dependency.thread, number: dependency.number, scope: dependency.scope)
      }
      for classID in [dependency.from.classID, dependency.to.classID] {
        state.graph.noteFamily(WaitClasses.family(of: classID), of: classID)
      }
      return state.reported.new(state.graph.add(dependency, scopes: state.scopes))
    }
    if let found { conclude(Finding(found)) }
  }

  /// Records that a barrier was used on a concurrent queue.
  static func noteBarrier(_ thing: gw_thing) {
    let scope = scopeToCarry
    let found = state.withLock {
      $0.reported.new($0.graph.noteBarrier(thing.class_id, scope: scope, scopes: $0.scopes))
    }
    if let found { conclude(Finding(found)) }
  }

  /// Records that the calling thread has entered a group.
  ///
  /// - Parameter isPhase: whether the group is used in phases: it is entered again after a thread saw it empty.
  static func noteEntered(_ group: gw_thing, isPhase: Bool) {
    guard isPhase || Membership.isNeeded else { return }
    let scope = scopeToCarry
    let found = state.withLock { state in
      state.membership.entered(group.instance)
      return isPhase
        ? state.reported.new(state.graph.notePhases(group.class_id, scope: scope, scopes: state.scopes)) : nil
    }
    if let found { conclude(Finding(found)) }
  }

  /// Records that the calling thread has left a group.
  ///
  /// - Parameter isEnd: whether a block that was submitted as a member has ended.
  static func noteLeft(_ group: gw_thing, isEnd: Bool) {
    if Membership.isNeeded { state.withLock { $0.membership.left(group.instance, isEnd: isEnd) } }
  }

  /// Records that the calling thread's block ends.
  static func runEnds() { conclude { $0.membership.runEnds() } }

  /// Reports the cycles of waits that were mistaken for waits of a group's members.
  private static func conclude(_ outsiders: (inout State) -> [Membership.Outsider]) {
    guard Membership.isNeeded else { return }
    let found = state.withLock { state in
      outsiders(&state).compactMap { wait in
        state.reported.new(
          state.graph.lose(member: wait.group, of: wait.thread, waiting: wait.number, scopes: state.scopes))
      }
    }
    for cycle in found { conclude(Finding(cycle)) }
  }

  /// Records that another thread has learned of a resource while the hold lasted under which it was made.
  static func publish(_ instance: UInt64) {
    let found = state.withLock { $0.reported.new($0.graph.publish(instance: instance, scopes: $0.scopes)) }
    if let found { conclude(Finding(found)) }
  }

  /// Records that an operation that holds resources waits for another operation, which no thread shows.
  static func note(_ asked: gw_thing, heldBy held: [gw_thing]) {
    let stack = callingStack()
    for held in held {
      take(
        Dependency(
          from: WaitResource(instance: held.instance, classID: held.class_id),
          to: WaitResource(instance: asked.instance, classID: asked.class_id), waitedAt: stack, scope: held.scope))
    }
  }

  /// Records that a semaphore is not a lock, because a thread that did not hold it has signaled it.
  static func noteNoLock(_ thing: gw_thing) {
    gw_void(thing.instance)
    state.withLock { $0.graph.forget(instance: thing.instance) }
  }

  /// Records that the calling thread is about to wait for a signal, for an unknown time.
  static func noteBlockingWait(_ thing: gw_thing) {
    guard isInTask(), !gw_is_main_thread() else { return }
    let names = WaitNames.ofThisProcess
    note(
      WaitReport(
        blockedPoolThread: gw_thread_id(), waitsFor: names.resourceClass(thing.class_id),
        at: names.stack(callingStack())),
      scope: scopeToCarry)
  }

  /// Records a wait for a signal whose giver is unknown.
  static func noteUnattributed(_ thing: gw_thing) {
    let name = WaitClasses[thing.class_id]
    state.withLock { $0.unattributed["\(name.name), made at \(name.site)", default: 0] += 1 }
  }

  /// Reports a finding other than a cycle, once for each name.
  ///
  /// - Parameter isCertain: whether waiting longer cannot help.
  static func note(_ report: WaitReport, scope: UInt64, isCertain: Bool = true) {
    let isNew = state.withLock { $0.names[scope, default: []].insert("\(report.kind) \(report.name)").inserted }
    if isNew { conclude(Finding(report, scope: scope, isCertain: isCertain)) }
  }

  /// Withdraws the reports of threads that were only slow and have continued.
  ///
  /// - Parameter lasting: the report that still applies.
  private static func withdrawNotes(except lasting: WaitReport?) {
    state.withLock { state in
      for note in state.findings.filter({ !$0.isCertain && $0.report.name != lasting?.name }) {
        state.names[note.scope]?.remove("\(note.report.kind) \(note.report.name)")
      }
      state.findings.removeAll { !$0.isCertain && $0.report.name != lasting?.name }
    }
  }

  /// Records the processor time that a block took on a queue, in nanoseconds.
  static func noteBlock(_ name: StaticString, on queue: String, took nanoseconds: Int64) {
    guard state.withLock({ Duration.nanoseconds(nanoseconds) > $0.slowBlock }) else { return }
    note(WaitReport(slowBlock: "\(name)", on: queue, milliseconds: nanoseconds / 1_000_000), scope: scope)
  }

  /// Records that callbacks wait for a queue and none has begun for too long.
  static func noteUndrained(_ queue: String, _ count: Int) {
    note(WaitReport(undrained: queue, callbacks: count), scope: 0)
  }

  /// The message with which the process ends because of a wait that cannot end: its report, if there is one.
  static func lastWords(_ thing: gw_thing) -> String {
    let finding = state.withLock { $0.findings.last { $0.asked == thing.instance } }
    return finding?.report.description ?? "a thread waits for a lock that it holds"
  }

  private static func conclude(_ finding: Finding) {
    let (policy, suppressions) = state.withLock { state in
      if finding.scope == 0 || state.scopes.contains(finding.scope) { state.findings.append(finding) }
      return (state.policy, state.suppressions)
    }
    // A test's findings are in that test's result.
    guard let policy, finding.scope == 0 else { return }
    guard !suppressions.covers(finding.report, at: now) else { return }
    switch policy {
    case .keep: break
    case .stop where finding.isCertain: fatalError(finding.report.description)  // what this policy asks for
    case .log, .stop:
      // Not on this thread: it may hold a lock that the log needs.
      DispatchQueue.global(qos: .utility).async {
        let logger = Logger(label: "gatehouse.waits")
        if finding.isCertain { logger.error("\(finding.report)") } else { logger.notice("\(finding.report)") }
      }
    }
  }
}
