import CGatehouseWaits
import Synchronization

/// The test and the groups of the code that submits a block, which the block inherits, and the moment of the
/// submission.
struct CarriedWork: Sendable {
  let scope: UInt64
  fileprivate let members: gw_members
  /// See `gw_submission`.
  let submission: UInt64

  /// What a block that is submitted now inherits; nothing if the monitor is off.
  static var current: CarriedWork {
    guard gw_is_on() else { return CarriedWork(scope: 0) }
    return CarriedWork(scope: WaitMonitor.scopeToCarry, members: gw_memberships(), submission: gw_submission())
  }

  /// - Parameter scope: the test. The block is a member of no group.
  init(scope: UInt64) { self.init(scope: scope, members: gw_members(), submission: 0) }

  private init(scope: UInt64, members: gw_members, submission: UInt64) {
    self.scope = scope
    self.members = members
    self.submission = submission
  }

  /// Runs the block as a member of those groups, until it leaves them.
  func asMember(_ block: () -> Void) {
    let outside = gw_take_over(members), outer = gw_begin_run()
    block()
    WaitMonitor.runEnds()
    gw_end_run(outer)
    _ = gw_take_over(outside)
  }
}

/// The waits of group members. A group guards such a wait if the same thread leaves the group afterwards, in the same
/// block. Until that is known, the group counts as a guard.
struct Membership {
  /// A wait for which that is undecided.
  private struct Wait {
    let thread, run: UInt32
    let number, group: UInt64
    let scope: UInt64
    /// The number of times that the thread has entered the group since. Its next leaves belong to those entries.
    var entered = 0
  }

  /// A wait whose thread did not leave the group.
  struct Outsider {
    let thread: UInt32
    let number, group: UInt64
  }

  /// The number of undecided waits, for threads that do not hold the lock.
  private static let count = Atomic<Int>(0)
  /// Whether any wait is undecided.
  static var isNeeded: Bool { count.load(ordering: .relaxed) > 0 }

  private var waits: [Wait] = [] {
    didSet { Self.count.store(waits.count, ordering: .relaxed) }
  }

  /// Records an undecided wait of the calling thread.
  mutating func note(group: UInt64, thread: UInt32, number: UInt64, scope: UInt64) {
    let isKnown = waits.contains { $0.thread == thread && $0.number == number && $0.group == group }
    if !isKnown { waits.append(Wait(thread: thread, run: gw_run(), number: number, group: group, scope: scope)) }
  }

  /// Records that the calling thread has entered a group. The leave of that entry does not decide its earlier waits.
  mutating func entered(_ group: UInt64) {
    let thread = gw_thread_id(), run = gw_run()
    for index in waits.indices where waits[index].thread == thread && waits[index].run == run {
      if waits[index].group == group { waits[index].entered += 1 }
    }
  }

  /// Records that the calling thread has left a group.
  ///
  /// - Parameter isEnd: whether a block that was submitted as a member has ended.
  mutating func left(_ group: UInt64, isEnd: Bool) {
    let thread = gw_thread_id(), run = gw_run()
    waits = waits.compactMap { wait in
      guard wait.thread == thread, wait.run == run, wait.group == group else { return wait }
      if isEnd || wait.entered == 0 { return nil }
      var later = wait
      later.entered -= 1
      return later
    }
  }

  /// Records that the calling thread's block ends. Other code leaves the groups that the block has not left.
  mutating func runEnds() -> [Outsider] {
    let thread = gw_thread_id(), run = gw_run()
    return decide { $0.thread == thread && $0.run == run }
  }

  /// Records that a test ends.
  mutating func ends(_ scope: UInt64) -> [Outsider] { decide { $0.scope == scope } }

  /// Called when the calling thread looks for reports: its own waits are over, and so are those of threads that have
  /// ended.
  mutating func ended() -> [Outsider] {
    let thread = gw_thread_id()
    return decide { $0.thread == thread || !gw_lives($0.thread) }
  }

  private mutating func decide(_ isOver: (Wait) -> Bool) -> [Outsider] {
    let over = waits.filter(isOver)
    if !over.isEmpty { waits.removeAll(where: isOver) }
    return over.map { Outsider(thread: $0.thread, number: $0.number, group: $0.group) }
  }
}
