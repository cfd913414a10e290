/// What the threads of a process wait for at one moment, and whether that is a hang.
///
/// A thread that waits for a signal proves nothing: every idle worker does. There must also be demand: a thread that
/// waits for a queue or a lock, or a block that waits for its turn. The caller that makes this value has decided how
/// long the waits must have lasted.
package struct HangAnalysis: Sendable {
  let threads: [WatchedThread]
  let backlogs: [Backlog]
  private let targets: [UInt64: UInt64]
  let isMain: @Sendable (WaitResource) -> Bool
  /// Dispatch queues target one another only a few levels deep. More would be a fault in the record.
  private static let maximumTargets = 8

  /// - Parameters:
  ///   - targets: for each queue, the queue that it targets.
  ///   - isMain: whether a resource is the main queue.
  package init(
    threads: [WatchedThread], backlogs: [Backlog], targets: [UInt64: UInt64] = [:],
    isMain: @escaping @Sendable (WaitResource) -> Bool
  ) {
    self.threads = threads
    self.backlogs = backlogs
    self.targets = targets
    self.isMain = isMain
  }

  /// The threads that wait.
  package var blocked: [WatchedThread] { threads.filter { $0.wait != nil } }

  /// The first thread that keeps another one out of a resource.
  ///
  /// - Parameters:
  ///   - thread: the thread that wants it, and does not count.
  ///   - shared: whether that thread wants it shared: then shared holders do not keep it out.
  package func holder(of instance: UInt64, besides thread: UInt32 = 0, shared: Bool = false) -> WatchedThread? {
    threads.first { $0.id != thread && $0.holds(instance, exclusively: shared) }
  }

  /// The thread that holds what a thread waits for, or a queue that it targets. It is the thread itself if no other
  /// thread holds it and it does.
  package func blocker(of thread: WatchedThread) -> WatchedThread? {
    guard let wanted = thread.wait?.resource else { return nil }
    var instance = wanted.instance
    for _ in 0..<Self.maximumTargets {
      if let holder = holder(of: instance, besides: thread.id, shared: wanted.isShared) { return holder }
      if thread.holds(instance, exclusively: true) { return thread }
      guard let target = targets[instance], target != 0 else { return nil }
      instance = target
    }
    return nil
  }

  /// The first cycle of threads that wait for each other, or one thread that waits for itself. It never ends.
  package var cycle: [WatchedThread]? {
    for start in blocked {
      var path = [start]
      while let last = path.last, let next = blocker(of: last) {
        if let first = path.firstIndex(where: { $0.id == next.id }) { return Array(path[first...]) }
        path.append(next)
      }
    }
    return nil
  }
}
