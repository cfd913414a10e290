/// What one thread holds, and what it waits for at one moment.
package struct WatchedThread: Sendable {
  package let id: UInt32
  let isMain: Bool
  /// Nil: it does not wait, or not for long enough.
  package let asking: WaitThing?
  let askedAt: [UInt]
  let holds: [(thing: WaitThing, at: [UInt])]

  package init(
    id: UInt32, isMain: Bool, asking: WaitThing?, askedAt: [UInt], holds: [(thing: WaitThing, at: [UInt])]
  ) {
    self.id = id
    self.isMain = isMain
    self.asking = asking
    self.askedAt = askedAt
    self.holds = holds
  }
}

/// Blocks that wait for their turn on a queue, or for a thread.
package struct Backlog: Sendable {
  package let queue: WaitThing
  package let pending: Int

  package init(queue: WaitThing, pending: Int) {
    self.queue = queue
    self.pending = pending
  }
}

/// A process in which somebody waits and nothing comes of it: who waits for whom, and what that means.
///
/// A thread that waits for a signal is no sign of anything: so does every idle worker. Something must be in want of it:
/// a thread that waits for a queue or a lock, or a block that waits for its turn. The caller that makes this value has
/// decided how long that must have lasted.
package struct Standstill: Sendable {
  private let threads: [WatchedThread]
  private let backlogs: [Backlog]
  private let targets: [UInt64: UInt64]
  private let isMain: @Sendable (WaitThing) -> Bool

  /// - Parameters:
  ///   - targets: the queues that queues target.
  ///   - isMain: whether a thing is the main queue.
  package init(
    threads: [WatchedThread], backlogs: [Backlog], targets: [UInt64: UInt64] = [:],
    isMain: @escaping @Sendable (WaitThing) -> Bool
  ) {
    self.threads = threads
    self.backlogs = backlogs
    self.targets = targets
    self.isMain = isMain
  }

  package var blocked: [WatchedThread] { threads.filter { $0.asking != nil } }

  /// Who keeps others out of a thing, or keeps out who wants it alone.
  package func holder(of instance: UInt64, besides thread: UInt32 = 0, shared: Bool = false) -> WatchedThread? {
    threads.first { other in
      other.id != thread && other.holds.contains { $0.thing.instance == instance && !(shared && $0.thing.isShared) }
    }
  }

  /// Who holds what a thread waits for, or a queue that it targets: the thread itself, if nobody else does.
  package func blocker(of thread: WatchedThread) -> WatchedThread? {
    guard let asking = thread.asking else { return nil }
    var instance = asking.instance
    for _ in 0..<8 {
      if let holder = holder(of: instance, besides: thread.id, shared: asking.isShared) { return holder }
      if thread.holds.contains(where: { $0.thing.instance == instance && !$0.thing.isShared }) { return thread }
      guard let target = targets[instance], target != 0 else { return nil }
      instance = target
    }
    return nil
  }

  /// Threads that wait for each other, or one that waits for itself: it never ends.
  package var circle: [WatchedThread]? {
    for start in blocked {
      var way = [start]
      while let last = way.last, let next = blocker(of: last) {
        if let first = way.firstIndex(where: { $0.id == next.id }) { return Array(way[first...]) }
        way.append(next)
      }
    }
    return nil
  }
}

// MARK: - Reports

extension Standstill {
  private func waits(_ threads: [WatchedThread], _ names: WaitNames) -> [WaitReport.Wait] {
    threads.prefix(8).map { thread in
      let held = thread.holds.last { !$0.thing.isShared } ?? thread.holds.last
      let holding = held.map { names.classes($0.thing.classID) }
      let asked = thread.asking.map { names.classes($0.classID) }
      return WaitReport.Wait(
        held: holding?.name ?? "nothing", heldSite: holding?.site ?? "", heldAt: names.stack(held?.at ?? []),
        asked: asked?.name ?? "nothing", askedSite: asked?.site ?? "", askedAt: names.stack(thread.askedAt),
        thread: thread.id)
    }
  }

  /// A deadlock that has happened.
  package func report(circle: [WatchedThread], _ names: WaitNames) -> WaitReport {
    let waits = waits(circle, names)
    let isAlone = circle.count == 1
    return WaitReport(
      .stall, name: waits.map(\.held).joined(separator: " → "),
      summary: isAlone
        ? "A thread waits for what it holds itself. This is no danger but a deadlock: it has happened."
        : "\(circle.count) threads wait for each other. This is no danger but a deadlock: it has happened.",
      waits: waits,
      rule: isAlone
        ? "Let go of it before asking for it again, or split off a function that expects it to be held."
        : """
        Let waits go one way only: hand the work over asynchronously, or let go of the one before asking for the other.
        """)
  }

  /// Somebody wants the main queue, and who could drain it waits; or, with `countsBusy`, does something else.
  package func undrained(_ names: WaitNames, countsBusy: Bool) -> WaitReport? {
    let backlog = backlogs.first { isMain($0.queue) }
    let waiting = blocked.filter { !$0.isMain && $0.asking.map(isMain) == true }
    let holder = threads.first { $0.holds.contains { isMain($0.thing) } } ?? threads.first(where: \.isMain)
    guard backlog != nil || !waiting.isEmpty, let holder, holder.asking != nil || (countsBusy && holder.isMain) else {
      return nil
    }
    return WaitReport(
      .undrainedQueue, name: "queue main",
      summary: """
        \(backlog?.pending ?? 0) block(s) and \(waiting.count) thread(s) wait for the main queue, which nobody drains: who could \
        is blocked\(holder.asking == nil ? ", or does something else" : "").
        """,
      waits: waits([holder] + waiting, names),
      rule: """
        Do not block the main thread while work comes to it: let it run dispatchMain() or a run loop, or have callbacks \
        delivered elsewhere.
        """)
  }

  /// A thread wants a queue or a lock, and its holder waits for a signal: a deadlock, if that signal is to come from
  /// there. Or it is only slow to come.
  package func heldUp(_ names: WaitNames) -> WaitReport? {
    func isSignal(_ thing: WaitThing) -> Bool { names.classes(thing.classID).kind == .signal }
    let wanted = blocked.compactMap(\.asking).filter { !isSignal($0) } + backlogs.map(\.queue)
    let holders = blocked.filter { thread in
      thread.asking.map(isSignal) == true
        && thread.holds.contains { held in wanted.contains { $0.instance == held.thing.instance } }
    }
    guard !holders.isEmpty else { return nil }
    let waits = waits(holders, names)
    let held = waits.map(\.held).joined(separator: ", ")
    return WaitReport(
      .stall, name: held,
      summary: """
        Others wait for \(held), held by \(holders.count) thread(s) that wait for a signal. If it is to come from one of those \
        others, this is a deadlock.
        """, waits: waits,
      rule: """
        Do not wait on a queue for something that comes to this queue: take a completion, or have it called elsewhere.
        """)
  }

  /// So many blocks wait for a thread, and those that there are wait as well.
  package func exhausted(pending: Int, _ names: WaitNames) -> WaitReport {
    let workers = blocked.filter { !$0.isMain }
    return WaitReport(
      .poolExhausted, name: "dispatch pool",
      summary: """
        \(pending) block(s) wait for a thread, and none becomes free: \(workers.count) threads are blocked. What would \
        unblock them may be among those that wait.
        """, waits: waits(workers, names),
      rule: "Do not block in blocks on concurrent queues: bound how many run at once, or continue in a callback.")
  }

  /// Threads that wait for queues and locks, of which no more is known.
  func waiting(_ names: WaitNames) -> WaitReport? {
    let inNeed = blocked.filter { $0.asking.map { names.classes($0.classID).kind != .signal } == true }
    guard !inNeed.isEmpty else { return nil }
    return WaitReport(
      .stall, name: inNeed.compactMap { $0.asking.map { names.classes($0.classID).name } }.joined(separator: ", "),
      summary: "\(inNeed.count) thread(s) have waited for a queue or a lock for long.", waits: waits(inNeed, names),
      rule: "Look at who holds what they wait for, and what takes so long there.")
  }
}
