/// The threads of a process as the kernel shows them.
///
/// The record shows only threads that have waited or held something. The kernel knows all of them, and whether a thread
/// sleeps until another one wakes it, or may go on by itself.
package struct SystemThreads: Sendable, Equatable {
  /// What a thread does.
  package enum Activity: Sendable, Equatable {
    /// It waits without a limit, on a futex that only this process can reach. Only another thread of the process, or a
    /// signal handler, can end that.
    case waits
    /// The same, on a futex that another process may reach.
    case waitsShared
    /// It does nothing unless another thread gives it work: a worker of Dispatch that has none, Dispatch's manager
    /// while it watches nothing, a main thread that has called `dispatchMain()` or has ended.
    case idles
    /// Anything else: it runs, sleeps for some time, or waits for a file descriptor, a signal or a child process.
    case acts
  }

  /// One thread.
  package struct Thread: Sendable, Equatable {
    package let id: UInt32
    package let activity: Activity
    /// How often it stopped running. The number is the same at two looks only if the thread did not run between them.
    package let stops: UInt64

    package init(id: UInt32, _ activity: Activity, stops: UInt64 = 0) {
      self.id = id
      self.activity = activity
      self.stops = stops
    }
  }

  /// All threads, or some of them if one of these acts.
  package let threads: [Thread]
  /// The process has handlers for signals other than faults. A handler may end any wait.
  package let handlesSignals: Bool

  package init(_ threads: [Thread], handlesSignals: Bool = false) {
    self.threads = threads
    self.handlesSignals = handlesSignals
  }

  /// The threads that wait, without those that idle: these may come and go.
  var waiting: [Thread] { threads.filter { $0.activity != .idles } }
}

extension ProcessSnapshot {
  /// Whether every thread waits without a limit for another thread of the process. Then nothing will ever move.
  ///
  /// A moment is not enough: the threads are read one after the other.
  func isStill(_ system: SystemThreads) -> Bool {
    guard !system.handlesSignals, timersUntil <= now, !system.waiting.isEmpty else { return false }
    let recorded = Dictionary(threads.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    return system.threads.allSatisfy { thread in
      let known = recorded[thread.id]
      let isJoining = known?.waitingSince != nil && classes.named(known?.wait.resource.classID ?? 0)?.kind == .thread
      return switch thread.activity {
      case .waits: known?.waitingSince == nil || known?.isLimited == false
      case .waitsShared: isJoining
      case .idles: true
      case .acts: false
      }
    }
  }
}
