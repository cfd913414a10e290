/// Analyzes what the threads of a process wait for at one moment, and whether that is a hang.
///
/// A thread that waits for a signal proves nothing: every idle worker does. Demand is also needed: a thread that waits
/// for a queue or a lock, or a block that waits for its turn. The caller that makes this value has decided how long the
/// waits must have lasted.
package struct HangAnalysis: Sendable {
  let threads: [WatchedThread]
  let backlogs: [Backlog]
  private let targets: [UInt64: UInt64]
  let isMain: @Sendable (WaitResource) -> Bool
  /// Dispatch queues target one another only a few levels deep. More would be a fault in the record.
  private static let maximumTargets = 8

  /// - Parameters:
  ///   - targets: for each queue, the queue that it targets.
  ///   - isMain: returns whether a resource is the main queue.
  package init(
    threads: [WatchedThread], backlogs: [Backlog], targets: [UInt64: UInt64] = [:],
    isMain: @escaping @Sendable (WaitResource) -> Bool
  ) {
    self.threads = threads
    self.backlogs = backlogs
    self.targets = targets
    self.isMain = isMain
  }

  /// The waiting threads.
  package var blocked: [WatchedThread] { threads.filter { $0.wait != nil } }

  /// The first thread that keeps another one from getting a resource.
  ///
  /// - Parameters:
  ///   - thread: the thread that wants the resource. It does not count as a holder.
  ///   - shared: whether that thread wants it shared. Then shared holders do not block it.
  package func holder(of instance: UInt64, besides thread: UInt32 = 0, shared: Bool = false) -> WatchedThread? {
    threads.first { $0.id != thread && $0.holds(instance, exclusively: shared) }
  }

  /// The first thread that holds what a thread waits for, or a queue that it targets. The thread itself is returned
  /// only if no other thread holds it.
  package func blocker(of thread: WatchedThread) -> WatchedThread? { blockers(of: thread).first }

  /// All threads that hold what a thread waits for, or a queue that it targets. The wait lasts until each of them has
  /// released it. The thread itself comes last.
  func blockers(of thread: WatchedThread) -> [WatchedThread] {
    guard let wanted = thread.wait?.resource else { return [] }
    let found = holders(of: wanted.instance, shared: wanted.isShared)
    return found.filter { $0.id != thread.id } + found.filter { $0.id == thread.id }.prefix(1)
  }

  /// Returns all threads that prevent another thread from entering a resource, or a queue that it targets.
  private func holders(of instance: UInt64, shared isShared: Bool) -> [WatchedThread] {
    var found: [WatchedThread] = []
    var (instance, isShared) = (instance, isShared)
    for _ in 0..<Self.maximumTargets {
      found += threads.filter { $0.holds(instance, exclusively: isShared) }
      guard let target = targets[instance], target != 0 else { break }
      instance = target
      // A barrier on a queue is not a barrier on the queue's target.
      isShared = true
    }
    return found
  }

  /// Whether one of these threads prevents all blocks from running on this queue, or on a queue that it targets.
  func isBlocked(_ queue: UInt64, by threads: Set<UInt32>) -> Bool {
    holders(of: queue, shared: true).contains { threads.contains($0.id) }
  }

  /// The first cycle of threads that wait for each other, or one thread that waits for itself. It never ends.
  package var cycle: [WatchedThread]? {
    var finished: Set<UInt32> = []
    for start in blocked {
      if let cycle = cycle(from: [start], &finished) { return cycle }
    }
    return nil
  }

  /// - Parameters:
  ///   - path: threads, each of which waits for the next one.
  ///   - finished: threads that lead to no cycle.
  private func cycle(from path: [WatchedThread], _ finished: inout Set<UInt32>) -> [WatchedThread]? {
    guard let last = path.last, !finished.contains(last.id) else { return nil }
    for next in blockers(of: last) {
      if let first = path.firstIndex(where: { $0.id == next.id }) { return Array(path[first...]) }
      if let cycle = cycle(from: path + [next], &finished) { return cycle }
    }
    finished.insert(last.id)
    return nil
  }
}
