import CGatehouseWaits
import Dispatch
import Foundation
import GatehouseBase
import Logging

/// Finds deadlocks before they happen: it watches who waits for whom, and reports the first wait by which a circle can
/// close, in a run that does not hang.
///
/// Off by default. It sees what goes through this module: its queues, locks, semaphores and groups, and the SDK's own
/// work. Plain dispatch queues and pthread mutexes are seen by `gate queuecheck`; `Synchronization.Mutex` and actors by
/// neither.
public enum WaitMonitor {
  /// What is done with a report.
  public enum Policy: Sendable {
    /// Write it to the log.
    case log
    /// Stop the process, with the report as its last words. What may only be slow, and would go on, is logged.
    case stop
    /// Keep it in `reports` only.
    case keep
  }

  private struct Finding: Sendable {
    let report: WaitReport
    /// The test that it belongs to.
    let scope: UInt64
    /// Whether time will not mend it.
    let isCertain: Bool
    /// Of a cycle, what it began with.
    let asked: UInt64?

    init(_ cycle: WaitCycle) {
      report = WaitReport(cycle: cycle.edges, .ofThisProcess)
      scope = cycle.scope
      isCertain = true
      asked = cycle.edges.first?.to.instance
    }

    init(_ report: WaitReport, scope: UInt64, isCertain: Bool = true) {
      self.report = report
      self.scope = scope
      self.isCertain = isCertain
      asked = nil
    }
  }

  private struct State {
    var graph = WaitGraph()
    var findings: [Finding] = []
    var seen: [UInt64: Set<[UInt32]>] = [:]
    var names: [UInt64: Set<String>] = [:]
    var policy: Policy?
    var suppressions = Suppressions()
    var scopes: Set<UInt64> = []
    var lastScope: UInt64 = 0
    var unattributed: [String: Int] = [:]
    var stallWatch = 0
    var slowBlock: Duration = .milliseconds(250)

    /// A cycle, unless one of the same classes was reported before.
    mutating func news(_ cycle: WaitCycle?) -> WaitCycle? {
      guard let cycle else { return nil }
      let classes = Set(cycle.edges.map(\.from.classID)).sorted()
      return seen[cycle.scope, default: []].insert(classes).inserted ? cycle : nil
    }

    /// What was learned in a test, or outside of all.
    mutating func forget(scope: UInt64) {
      if scopes.isEmpty, policy == nil { graph = WaitGraph() } else { graph.forget(scope: scope) }
      seen[scope] = nil
      names[scope] = nil
    }
  }

  private static let state = Lock(unwatched: State())

  /// Turns the monitor on for the whole process.
  ///
  /// - Parameters:
  ///   - suppressions: findings that are known, and left alone until they expire.
  ///   - slowBlock: how much processor time a block on the SDK's work queue may take before it is reported.
  ///   - stall: after how long a hang is reported; nil: never.
  public static func start(
    _ policy: Policy = .log, suppressing suppressions: Suppressions = Suppressions(),
    slowBlock: Duration = .milliseconds(250), stall: Duration? = .seconds(10)
  ) {
    let run = state.withLock { state in
      state.policy = policy
      state.suppressions = suppressions
      state.slowBlock = slowBlock
      // An earlier watch ends with what it was told.
      state.stallWatch += 1
      switchOn()
      return state.stallWatch
    }
    // Not before: a watch that finds no policy ends.
    if let stall { watchForStalls(after: stall, run) }
  }

  /// Turns it off, but for the tests that asked for it. What it learned is forgotten; its reports are kept.
  public static func stop() {
    state.withLock { state in
      state.policy = nil
      state.forget(scope: 0)
      if state.scopes.isEmpty { switchOff() }
    }
  }

  /// What was found, in the order in which it was found, without what is suppressed.
  public static var reports: [WaitReport] { reports(of: nil) }

  /// Waits for semaphores and groups whose giver is not known, and how many of each were seen: they are in no circle,
  /// and could be. Declare who gives them.
  public static var unattributedWaits: [String: Int] { state.withLock { $0.unattributed } }

  /// Turns the monitor on if the environment asks for it, `GATEHOUSE_WAITS=log` or `stop`, and the program has not done
  /// so. Asked when the first queue is made.
  static let environment: Void = {
    let policies: [String: Policy] = ["log": .log, "stop": .stop]
    guard let policy = ProcessInfo.processInfo.environment["GATEHOUSE_WAITS"].flatMap({ policies[$0] }),
      state.withLock({ $0.policy == nil })
    else { return }
    start(policy)
  }()

  private static var today: Double { SystemClocks().wall }

  /// Both are called with the lock held: nobody is to switch off what another has just switched on.
  private static func switchOn() {
    beginRecording()
    gw_set_main(SerialQueue.main.thing)
  }

  private static func switchOff() {
    gw_end()
    gw_forget()
  }

  /// Looks now and then, as long as the monitor is on, from a thread of its own: the pool may be exhausted.
  private static func watchForStalls(after limit: Duration, _ run: Int) {
    let nanoseconds = max(Int64(clamping: limit / .nanoseconds(1)), 0)
    Thread.detachNewThread {
      while true {
        // A thread of the watch's own, which nobody waits for: a timer's would be the pool's.
        Thread.sleep(forTimeInterval: max(Double(nanoseconds) / 4e9, 0.01))
        guard state.withLock({ $0.stallWatch == run && $0.policy != nil }) else { return }
        if let (report, isCertain) = StallWatch(limit: nanoseconds).finding {
          note(report, scope: 0, isCertain: isCertain)
        }
      }
    }
  }

  // MARK: - Tests that run side by side

  @TaskLocal package static var scope: UInt64 = 0

  /// The test that work which is queued now belongs to.
  static var scopeToCarry: UInt64 {
    let scope = scope
    return scope == 0 ? gw_scope() : scope
  }

  /// Runs a block that was queued in a test. A test's mark belongs to a thread, so the block must not be asynchronous.
  static func carrying(_ scope: UInt64, _ block: () -> Void) {
    let before = gw_scope()
    gw_set_scope(scope)
    block()
    gw_set_scope(before)
  }

  /// Runs an operation on the work queue that was begun in a test. The closure names its isolation: without it
  /// `withValue` would leave the work queue and come back later.
  @WorkQueue
  static func belonging(to scope: UInt64, _ operation: @WorkQueue () async -> Void) async {
    if scope == 0 { return await operation() }
    await $scope.withValue(scope) { @WorkQueue in await operation() }
  }

  /// Runs a block that calls an isolated closure on its actor: it suspends nowhere before its end.
  ///
  /// No test is carried here: a test's mark belongs to a thread, and must not stay there if the block suspends.
  ///
  /// - Parameter queue: the queue that the block holds while it runs.
  @MainActor
  static func holding(_ queue: SerialQueue, _ block: () async -> Void) async {
    guard gw_is_on() else { return await block() }
    queue.enter()
    await block()
    queue.leave()
  }

  /// Runs a test with a graph of its own, and returns what was found in it. The queues and locks that it makes belong
  /// to it.
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
    let now = today
    return reports(of: scope).filter { !suppressions.covers($0, at: now) }
  }

  private static func reports(of scope: UInt64?) -> [WaitReport] {
    let (findings, suppressions) = state.withLock { state in
      (state.findings.filter { scope == nil || $0.scope == scope }, state.suppressions)
    }
    let now = today
    return findings.map(\.report).filter { !suppressions.covers($0, at: now) }
  }

  // MARK: - What comes in

  /// An edge that was not seen before, from the recorder. On the thread that is about to wait.
  static func take(_ edge: WaitEdge) {
    let asking = scopeToCarry
    let found: WaitCycle? = state.withLock { state in
      var edge = edge
      // Late work of a test that has ended belongs to no other test. A self-wait is reported all the same.
      if asking != 0, !state.scopes.contains(asking), edge.reason != .itself { return nil }
      // A queue that was made in a test that has ended, and outlives it, belongs to no test.
      if !state.scopes.contains(edge.scope) { edge.scope = 0 }
      return state.news(state.graph.add(edge, scopes: state.scopes))
    }
    if let found { conclude(Finding(found)) }
  }

  /// A barrier was used on a concurrent queue.
  static func noteBarrier(_ thing: gw_thing) {
    let scope = scopeToCarry
    let found = state.withLock { $0.news($0.graph.noteBarrier(thing.class_id, scope: scope, scopes: $0.scopes)) }
    if let found { conclude(Finding(found)) }
  }

  /// An operation that holds things waits for another: what no thread shows.
  static func note(_ asked: gw_thing, heldBy held: [gw_thing]) {
    let stack = callingStack()
    for held in held {
      take(
        WaitEdge(
          from: WaitThing(instance: held.instance, classID: held.class_id),
          to: WaitThing(instance: asked.instance, classID: asked.class_id), askedAt: stack, scope: held.scope))
    }
  }

  /// A semaphore that was taken for a lock is given by those who do not hold it.
  static func noteNoLock(_ thing: gw_thing) {
    gw_void(thing.instance)
    state.withLock { $0.graph.forget(instance: thing.instance) }
  }

  /// A thread is about to wait for somebody's signal, for how long nobody knows.
  static func noteBlockingWait(_ thing: gw_thing) {
    guard isInTask(), !gw_is_main_thread() else { return }
    let names = WaitNames.ofThisProcess, name = names.classes(thing.class_id)
    note(
      WaitReport(
        .blockedPoolThread, name: name.name,
        summary: """
          A task waited for \(name.name), and blocked a thread of Swift's pool. There is one for each processor; when all are \
          blocked so, no task goes on, the one that would signal included.
          """,
        waits: [
          WaitReport.Wait(
            held: "a thread of Swift's pool", heldSite: "", heldAt: names.stack([]), asked: name.name,
            askedSite: name.site,
            askedAt: names.stack(callingStack()), thread: gw_thread_id())
        ],
        rule: "Await instead: a continuation, an async sequence, or a task's value."),
      scope: scopeToCarry)
  }

  static func noteUnattributed(_ thing: gw_thing) {
    let name = WaitClasses[thing.class_id]
    state.withLock { $0.unattributed["\(name.name), made at \(name.site)", default: 0] += 1 }
  }

  /// Reports something that is no circle; once for each name. `isCertain`: nothing will mend it by itself.
  static func note(_ report: WaitReport, scope: UInt64, isCertain: Bool = true) {
    let isNew = state.withLock { $0.names[scope, default: []].insert("\(report.kind) \(report.name)").inserted }
    if isNew { conclude(Finding(report, scope: scope, isCertain: isCertain)) }
  }

  /// A block kept a queue for so much processor time, in nanoseconds.
  static func noteBlock(_ name: StaticString, on queue: String, took nanoseconds: Int64) {
    guard state.withLock({ Duration.nanoseconds(nanoseconds) > $0.slowBlock }) else { return }
    note(
      WaitReport(
        .slowBlock, name: "queue \(queue): \(name)",
        summary: "\(name) kept the queue \(queue) for \(nanoseconds / 1_000_000) ms of processor time.",
        rule: "Do slow work on values, in the background, and come back to the queue with the result."),
      scope: scope)
  }

  /// Callbacks wait for a queue, and none began for a while.
  static func noteUndrained(_ queue: String, _ count: Int) {
    note(
      WaitReport(
        .undrainedQueue, name: "queue \(queue)",
        summary: "\(count) callback(s) wait for the queue \(queue), and nobody drains it.",
        rule: """
          Run the queue (RunLoop.main.run(), dispatchMain(), or an async main function), have callbacks delivered on \
          another one, or use the async calls.
          """),
      scope: 0)
  }

  /// The report of a wait that cannot end, as the last words of the process.
  static func lastWords(_ thing: gw_thing) -> String {
    let finding = state.withLock { $0.findings.last { $0.asked == thing.instance } }
    return finding?.report.description ?? "a thread waits for itself"
  }

  private static func conclude(_ finding: Finding) {
    let (policy, suppressions) = state.withLock { state in
      if finding.scope == 0 || state.scopes.contains(finding.scope) { state.findings.append(finding) }
      return (state.policy, state.suppressions)
    }
    // What a test found is in that test's result.
    guard let policy, finding.scope == 0 else { return }
    guard !suppressions.covers(finding.report, at: today) else { return }
    switch policy {
    case .keep: break
    case .stop where finding.isCertain: fatalError(finding.report.description)  // what this policy asks for
    case .log, .stop:
      // Not here: the thread may hold what the log needs.
      DispatchQueue.global(qos: .utility).async {
        Logger(label: "gatehouse.waits").error("\(finding.report)")
      }
    }
  }
}
