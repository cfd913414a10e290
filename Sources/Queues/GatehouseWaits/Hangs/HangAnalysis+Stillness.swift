import GatehouseBase

// Reports of a process in which every thread waits for another one. The caller has checked that.
extension HangAnalysis {
  private func waitForSignals(_ names: WaitNames) -> [WatchedThread] {
    blocked.filter { $0.wait.map { names.resourceClass($0.resource.classID).kind == .signal } == true }
  }

  /// The report of tasks that wait for each other, on the threads of Swift's pool; nil if no task waits for a signal.
  ///
  /// - Parameter isPool: whether a resource is Swift's pool. A thread that runs a task holds the pool.
  func blockedTasks(_ names: WaitNames, _ isPool: (WaitResource) -> Bool) -> WaitReport? {
    let tasks = waitForSignals(names).filter { $0.holds.contains { isPool($0.resource) } }
    guard !tasks.isEmpty else { return nil }
    return WaitReport(
      .poolExhausted, name: "Swift's pool",
      summary: """
        \(counted(tasks.count, "task waits", "tasks wait")) for a signal and \
        \(tasks.count == 1 ? "blocks its thread" : "block their threads") of Swift's pool, and every other thread \
        waits as well. The pool has one thread for each processor. No other task can give the signals.
        """,
      waits: waits(tasks, names),
      rule: "Await instead of blocking: use a continuation, an async sequence, or a task's value.")
  }

  /// The report of waits of which only one thing is known: none of them will end.
  func unending(_ names: WaitNames) -> WaitReport {
    let signals = waitForSignals(names)
    let blocked = blocked
    let wanted = (signals.isEmpty ? blocked : signals).compactMap {
      $0.wait.map { names.resourceClass($0.resource.classID) }
    }
    func joined(_ names: [String]) -> String { Set(names).sorted().joined(separator: ", ") }
    let unseen = "The record shows none of these waits: they are for locks that are not watched."
    return WaitReport(
      .stall, name: wanted.isEmpty ? "all threads" : joined(wanted.map(\.lastingName)),
      title: wanted.isEmpty ? "all threads" : joined(wanted.map(\.name)),
      summary: """
        Every thread of the process waits for another one, without a limit. No thread is left that could end a wait. \
        \(blocked.isEmpty ? unseen : counted(blocked.count, "of these waits was", "of these waits were") + " recorded.")
        """,
      waits: waits(signals + blocked.filter { thread in !signals.contains { $0.id == thread.id } }, names),
      rule: """
        Find the thread that should have ended the wait. Did it give its signal before the other one waited? Test the \
        condition under the lock before each wait, and change it under the same lock. Did it end, or does it wait \
        itself? Then let one of the two go on without the other.
        """)
  }
}
