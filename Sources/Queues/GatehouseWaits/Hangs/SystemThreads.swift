/// The threads of a process as the kernel shows them.
///
/// The record shows only threads that have waited or held something. The kernel knows all of them, and whether a thread
/// sleeps until another one wakes it, or may continue by itself.
package struct SystemThreads: Sendable, Equatable {
  /// The activity of a thread.
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
    /// The number of times that it stopped running. It is the same at two looks only if the thread did not run between
    /// them.
    package let stops: UInt64

    package init(id: UInt32, _ activity: Activity, stops: UInt64 = 0) {
      self.id = id
      self.activity = activity
      self.stops = stops
    }
  }

  /// All threads, or some of them if one of these acts.
  package let threads: [Thread]
  /// Whether the process has handlers for signals other than faults. A handler may end any wait.
  package let handlesSignals: Bool

  package init(_ threads: [Thread], handlesSignals: Bool = false) {
    self.threads = threads
    self.handlesSignals = handlesSignals
  }

  /// The threads that wait, without the idle ones, which may come and go.
  var waiting: [Thread] { threads.filter { $0.activity != .idles } }
}

extension ProcessSnapshot {
  /// Whether every thread waits without a limit for another thread of the process. Then nothing will ever move.
  ///
  /// One look is not enough, because the threads are read one after another.
  func isStill(_ system: SystemThreads) -> Bool {
    guard !system.handlesSignals, !mayTimerFire(system), !system.waiting.isEmpty else { return false }
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
  /// Whether a timer's handler may still run while all waiting threads keep waiting. It cannot run on a queue that such
  /// a thread holds, or on a queue that targets one.
  private func mayTimerFire(_ system: SystemThreads) -> Bool {
    if timersUntil > now { return true }
    let ticking = queues.filter { $0.timersUntil > now }
    guard !ticking.isEmpty else { return false }
    let (analysis, waiting) = (analysis, Set(system.waiting.map(\.id)))
    return ticking.contains { !analysis.isBlocked($0.instance, by: waiting) }
  }
}
