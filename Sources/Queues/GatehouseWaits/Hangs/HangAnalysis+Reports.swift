import GatehouseBase

extension HangAnalysis {
  /// The maximum number of threads in a report.
  private static let maximumWaits = 8

  func waits(_ threads: [WatchedThread], _ names: WaitNames) -> [WaitReport.Wait] {
    threads.prefix(Self.maximumWaits).map { thread in
      let own = thread.holds.last { $0.resource.instance == thread.wait?.resource.instance }
      let held = own ?? thread.holds.last { !$0.resource.isShared } ?? thread.holds.last
      return WaitReport.Wait(
        holding: held.map { names.resourceClass($0.resource.classID) },
        heldAt: held.map { names.stack($0.frames) } ?? CallStack(),
        asking: thread.wait.map { names.resourceClass($0.resource.classID) },
        askedAt: thread.wait.map { names.stack($0.frames) } ?? CallStack(), thread: thread.id)
    }
  }

  /// The report of a deadlock that has happened.
  package func report(cycle: [WatchedThread], _ names: WaitNames) -> WaitReport {
    let all = waits(cycle, names), first = WaitReport.firstWait(of: all)
    let waits = Array(all[first...] + all[..<first])
    let isAlone = cycle.count == 1
    return WaitReport(
      .stall, name: waits.map(\.lastingHeld).joined(separator: " → "),
      title: waits.map(\.held).joined(separator: " → "),
      summary: isAlone
        ? "A thread waits for a resource that it holds. This deadlock has happened."
        : "\(cycle.count) threads wait for each other. This deadlock has happened.",
      waits: waits,
      rule: isAlone
        ? "Release the resource before you wait for it again, or split off a function that expects it to be held."
        : """
        Wait in one direction only: submit the work asynchronously, or release the one resource before you wait for \
        the other.
        """)
  }

  /// The report of work that waits for the main queue while the thread that could drain it is blocked.
  ///
  /// - Parameter countsBusy: whether to include a main thread that does not wait and drains nothing.
  package func undrained(_ names: WaitNames, countsBusy: Bool) -> WaitReport? {
    let backlog = backlogs.first { isMain($0.queue) }
    let waiting = blocked.filter { !$0.isMain && $0.wait.map { isMain($0.resource) } == true }
    let holder = threads.first { $0.holds.contains { isMain($0.resource) } } ?? threads.first(where: \.isMain)
    guard backlog != nil || !waiting.isEmpty, let holder, holder.wait != nil || (countsBusy && holder.isMain) else {
      return nil
    }
    return WaitReport(
      .undrainedQueue, name: "queue main",
      summary: """
        \(counted(backlog?.pending ?? 0, "block")) and \(counted(waiting.count, "thread")) wait for the main queue, \
        and no thread drains it. The thread that could is blocked\(holder.wait == nil ? " or busy" : "").
        """,
      waits: waits([holder] + waiting, names),
      rule: """
        Do not block the main thread while work is submitted to it: run dispatchMain() or a run loop there, or deliver \
        callbacks to another queue.
        """)
  }

  /// The report of a queue or lock that is in demand while its holder waits for a signal.
  ///
  /// It is a deadlock if the waiting work must give that signal. Otherwise the signal is only slow to come.
  package func heldUp(_ names: WaitNames) -> WaitReport? {
    func isSignal(_ resource: WaitResource) -> Bool { names.resourceClass(resource.classID).kind == .signal }
    let wanted = Set(
      (blocked.compactMap(\.wait?.resource).filter { !isSignal($0) } + backlogs.map(\.queue)).map(\.instance))
    let holders = blocked.filter { thread in
      thread.wait.map { isSignal($0.resource) } == true
        && thread.holds.contains { wanted.contains($0.resource.instance) }
    }
    guard !holders.isEmpty else { return nil }
    let waits = waits(holders, names)
    let held = waits.map(\.held).joined(separator: ", ")
    return WaitReport(
      .stall, name: waits.map(\.lastingHeld).joined(separator: ", "), title: held,
      summary: """
        \(counted(holders.count, "thread holds", "threads hold")) \(held) and \
        \(holders.count == 1 ? "waits" : "wait") for a signal, while other work waits for \(held). If that \
        work must give the signal, this is a deadlock.
        """, waits: waits,
      rule: """
        Do not wait on a queue for work that runs on the same queue: take a completion handler, or run that work on \
        another queue.
        """)
  }

  /// The report of blocks that wait for a thread while the pool's threads wait, too.
  package func exhausted(pending: Int, _ names: WaitNames) -> WaitReport {
    let workers = blocked.filter { !$0.isMain }
    return WaitReport(
      .poolExhausted, name: "dispatch pool",
      summary: """
        \(counted(pending, "block waits", "blocks wait")) for a thread, and none becomes free: \
        \(counted(workers.count, "thread is", "threads are")) blocked. The work \
        that would unblock them may be among the waiting blocks.
        """, waits: waits(workers, names),
      rule: """
        Do not wait in blocks on concurrent queues: limit how many of them run at once, or continue in a completion \
        handler.
        """)
  }

  /// The report of threads that wait for queues and locks, if nothing more precise is known.
  package func waiting(_ names: WaitNames) -> WaitReport? {
    let waiting = blocked.filter { thread in
      thread.wait.map { names.resourceClass($0.resource.classID).kind != .signal } == true
    }
    guard !waiting.isEmpty else { return nil }
    let wanted = waiting.compactMap { $0.wait.map { names.resourceClass($0.resource.classID) } }
    return WaitReport(
      .stall, name: wanted.map(\.lastingName).joined(separator: ", "),
      title: wanted.map(\.name).joined(separator: ", "),
      summary: counted(waiting.count, "thread has", "threads have") + " waited for a queue or a lock for a long time.",
      waits: waits(waiting, names),
      rule: "Find the thread that holds the resource, and why it holds it for so long.")
  }
}

/// The report of a hang, and whether it is certain: otherwise the process may only be slow.
package struct HangFinding: Sendable {
  package let report: WaitReport
  package let isCertain: Bool

  package init(_ report: WaitReport, isCertain: Bool) {
    self.report = report
    self.isCertain = isCertain
  }
}

extension HangAnalysis {
  /// Interprets the waits, all of which must have lasted too long; nil if no thread waits.
  package func finding(_ names: WaitNames) -> HangFinding? {
    guard !blocked.isEmpty else { return nil }
    if let cycle { return HangFinding(report(cycle: cycle, names), isCertain: true) }
    let pending = backlogs.reduce(0) { $0 + $1.pending }
    let report =
      undrained(names, countsBusy: true) ?? heldUp(names)
      ?? (backlogs.isEmpty ? waiting(names) : exhausted(pending: pending, names))
    return report.map { HangFinding($0, isCertain: false) }
  }
}
