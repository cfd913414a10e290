import CGatehouseWaits
import GatehouseBase

/// Looks at a hang: who waits, and why nothing will come of it.
///
/// A thread that waits for a signal is no sign of anything: so does every idle worker. Somebody must be in want of it: a thread
/// that waits for a queue or a lock, or a block that waits for its turn, and for so long.
struct StallWatch: Sendable {
  private let threads: [WatchedThread]
  private let stuck: [QueueGauges.Gauge]
  private let moment: Int64
  private let classes: @Sendable (UInt32) -> WaitClass

  /// The process now. `limit`: how long a wait must have lasted, in nanoseconds.
  init(limit: Int64) {
    moment = SystemTime.monotonic - limit
    threads = WatchedThread.all
    stuck = QueueGauges.stuck(since: moment)
    classes = { WaitClasses[$0] }
  }

  /// Threads that have waited for so long.
  private var blocked: [WatchedThread] { threads.filter { ($0.askingSince ?? .max) < moment } }

  private func isSignal(_ thing: WaitThing) -> Bool { classes(thing.classID).kind == .signal }

  private func holder(of thing: WaitThing, besides thread: UInt32? = nil) -> WatchedThread? {
    threads.first { other in
      other.id != thread
        && other.holds.contains { $0.thing.instance == thing.instance && !($0.thing.isShared && thing.isShared) }
    }
  }

  /// What is wrong, if it is certain that somebody waits in vain for now.
  var report: WaitReport? {
    let blocked = blocked
    let inNeed = blocked.filter { !isSignal($0.asking) }
    guard !blocked.isEmpty, !inNeed.isEmpty || !stuck.isEmpty else { return nil }
    if let circle { return report(circle: circle) }
    let main = WaitThing(instance: SerialQueue.main.thing.instance, classID: SerialQueue.main.thing.class_id)
    let mainIsWanted = stuck.contains(where: \.isMain) || inNeed.contains { $0.asking.instance == main.instance }
    let mainHolder = threads.first(where: \.isMain) ?? holder(of: main)
    if mainIsWanted, mainHolder?.askingSince != nil || holder(of: main).map({ $0.isMain }) == true {
      return undrained(inNeed, holder: holder(of: main))
    }
    // Held by somebody who waits for a sign: it may have to come from here.
    let held = stuck.filter { gauge in holder(of: gauge.thing).map { blockedIDs.contains($0.id) } == true }
    if !held.isEmpty { return heldUp(held) }
    if !stuck.isEmpty { return exhausted }
    return WaitReport(
      .stall, name: inNeed.map { classes($0.asking.classID).name }.joined(separator: ", "),
      summary: "\(inNeed.count) thread(s) have waited for a queue or a lock for long.", waits: waits(inNeed),
      rule: "Look at who holds what they wait for, and what takes so long there.")
  }

  /// Whether no time will mend what is reported: others may only be slow.
  var isCertain: Bool { circle != nil }

  private var blockedIDs: Set<UInt32> { Set(blocked.map(\.id)) }

  /// Threads that wait for each other.
  private var circle: [WatchedThread]? {
    for start in blocked {
      var way = [start]
      while let last = way.last, last.askingSince != nil, let next = holder(of: last.asking, besides: last.id) {
        if let first = way.firstIndex(where: { $0.id == next.id }) { return Array(way[first...]) }
        way.append(next)
      }
    }
    return nil
  }

  // MARK: - Reports

  private func waits(_ threads: [WatchedThread]) -> [WaitReport.Wait] {
    threads.prefix(8).map { thread in
      let held = thread.holds.last { !$0.thing.isShared } ?? thread.holds.last
      let holding = held.map { classes($0.thing.classID) }, asked = classes(thread.asking.classID)
      return WaitReport.Wait(
        held: holding?.name ?? "nothing", heldSite: holding?.site ?? "", heldAt: CallStack(held?.at ?? []),
        asked: asked.name, askedSite: asked.site, askedAt: CallStack(thread.askedAt), thread: thread.id)
    }
  }

  private func report(circle: [WatchedThread]) -> WaitReport {
    WaitReport(
      .stall, name: circle.map { classes($0.asking.classID).name }.joined(separator: " → "),
      summary: "\(circle.count) threads wait for each other. This is no danger but a deadlock: it has happened.",
      waits: waits(circle),
      rule: """
        Let waits go one way only: hand the work over asynchronously, or let go of the one before asking for the other.
        """)
  }

  private func undrained(_ inNeed: [WatchedThread], holder: WatchedThread?) -> WaitReport {
    let pending = stuck.first(where: \.isMain)?.pending ?? 0
    return WaitReport(
      .undrainedQueue, name: "queue main",
      summary: """
        \(pending) block(s) and \(inNeed.count) thread(s) wait for the main queue, which nobody drains: who could is \
        blocked, or does something else.
        """,
      waits: waits((holder.map { [$0] } ?? []) + inNeed),
      rule: """
        Do not block the main thread while work comes to it: let it run dispatchMain() or a run loop, or have callbacks \
        delivered elsewhere.
        """)
  }

  private func heldUp(_ held: [QueueGauges.Gauge]) -> WaitReport {
    let names = held.map { classes($0.thing.classID).name }
    return WaitReport(
      .stall, name: names.joined(separator: ", "),
      summary: """
        \(held.reduce(0) { $0 + $1.pending }) block(s) wait for \(names.joined(separator: ", ")), held by a thread that \
        waits itself. If it waits for one of those blocks, this is a deadlock.
        """,
      waits: waits(held.compactMap { holder(of: $0.thing) }),
      rule: """
        Do not wait on a queue for something that comes to this queue: take a completion, or have it called elsewhere.
        """)
  }

  private var exhausted: WaitReport {
    let pending = stuck.reduce(0) { $0 + $1.pending }
    return WaitReport(
      .poolExhausted, name: "dispatch pool",
      summary: """
        \(pending) block(s) wait for a thread, and none becomes free: \(blocked.count) threads are blocked. What would \
        unblock them may be among those that wait.
        """, waits: waits(blocked),
      rule: "Do not block in blocks on concurrent queues: bound how many run at once, or continue in a callback.")
  }
}
