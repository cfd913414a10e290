/// The threads and queues of a watched process at one moment: their holds and waits.
package struct ProcessSnapshot: Sendable {
  /// One thread.
  package struct Thread: Sendable {
    package let id: UInt32
    /// Incremented whenever the thread waits for a resource, gets it or releases it.
    package let events: UInt64
    /// The time since which it waits, in monotonic nanoseconds; nil if it does not wait.
    package let waitingSince: UInt64?
    /// The resource that it waits for, or waited for last.
    package let wait: WatchedThread.Hold
    package let holds: [WatchedThread.Hold]
    /// Whether its wait may end without another thread of the process: the wait has a limit, or is for an object that
    /// the process shares with others.
    package let isLimited: Bool

    package init(
      id: UInt32, events: UInt64, waitingSince: UInt64?, wait: WatchedThread.Hold, holds: [WatchedThread.Hold],
      isLimited: Bool = false
    ) {
      self.id = id
      self.events = events
      self.waitingSince = waitingSince
      self.wait = wait
      self.holds = holds
      self.isLimited = isLimited
    }

    /// Whether it waits without a limit for another thread.
    var isBlocked: Bool { waitingSince != nil && !isLimited }
  }

  /// One queue, and the asynchronous blocks on it.
  package struct Queue: Sendable {
    package let instance: UInt64
    /// The queue that it targets; 0: a global queue.
    package let target: UInt64
    package let classID: UInt32
    /// The number of blocks that wait for their turn.
    package let pending: Int32
    /// The number of suspensions without a resume.
    package let suspended: Int32
    /// The number of blocks that have begun.
    package let begun: UInt64
    /// The time until which a timer of the program may fire on the queue, in monotonic nanoseconds: 0 if none was set,
    /// the maximum if one repeats. A source is also recorded as a queue, whose target is the queue of its handler.
    package let timersUntil: UInt64

    package init(
      instance: UInt64, target: UInt64, classID: UInt32, pending: Int32, suspended: Int32, begun: UInt64,
      timersUntil: UInt64 = 0
    ) {
      self.instance = instance
      self.target = target
      self.classID = classID
      self.pending = pending
      self.suspended = suspended
      self.begun = begun
      self.timersUntil = timersUntil
    }

    /// Whether blocks wait and may begin.
    var isInDemand: Bool { pending > 0 && suspended <= 0 }
  }

  /// The asynchronous blocks of the whole process.
  package struct Blocks: Sendable {
    /// The number of blocks on the global queues that have not begun, and of those that have begun.
    package let pendingGlobal: Int64, begunGlobal: UInt64
    /// The number of blocks that have begun and not ended, and of those that have ended.
    package let running: Int64, ended: UInt64

    package init(pendingGlobal: Int64 = 0, begunGlobal: UInt64 = 0, running: Int64 = 0, ended: UInt64 = 0) {
      self.pendingGlobal = pendingGlobal
      self.begunGlobal = begunGlobal
      self.running = running
      self.ended = ended
    }
  }

  package let processID: Int32
  package let mainThread: UInt32
  package let threads: [Thread]
  package let queues: [Queue]
  package let classes: [RecordedClass]
  package let blocks: Blocks
  /// The number of processors that the process may use.
  package let processors: Int
  /// The time of the snapshot, in monotonic nanoseconds.
  package let now: UInt64
  /// The time until which a timer without a queue may fire, in the form of `Queue.timersUntil`.
  package let timersUntil: UInt64

  package init(
    processID: Int32, mainThread: UInt32, threads: [Thread], queues: [Queue], classes: [RecordedClass], blocks: Blocks,
    processors: Int, now: UInt64, timersUntil: UInt64 = 0
  ) {
    self.processID = processID
    self.mainThread = mainThread
    self.threads = threads
    self.queues = queues
    self.classes = classes
    self.blocks = blocks
    self.processors = processors
    self.now = now
    self.timersUntil = timersUntil
  }

  /// A number that changes whenever a thread waits for a resource, gets it or releases it, and when a block begins.
  var progress: UInt64 {
    threads.reduce(0) { $0 &+ $1.events &+ UInt64($1.id) } &+ queues.reduce(0) { $0 &+ $1.begun } &+ blocks.begunGlobal
  }

  /// Whether a thread waits and there is demand: the thread holds something, or a block waits for a thread.
  var isWaiting: Bool {
    let waiting = threads.filter(\.isBlocked)
    return !waiting.isEmpty
      && (waiting.contains { !$0.holds.isEmpty } || blocks.pendingGlobal > 0 || queues.contains(where: \.isInDemand))
  }

  /// The analysis of which thread waits for which.
  package var analysis: HangAnalysis {
    HangAnalysis(
      threads: threads.map { thread in
        WatchedThread(
          id: thread.id, isMain: thread.id == mainThread, wait: thread.isBlocked ? thread.wait : nil,
          holds: thread.holds)
      },
      backlogs: queues.filter(\.isInDemand).map {
        Backlog(queue: WaitResource(instance: $0.instance, classID: $0.classID), pending: Int($0.pending))
      },
      targets: Dictionary(queues.map { ($0.instance, $0.target) }, uniquingKeysWith: { first, _ in first }),
      isMain: { [classes] in classes.named($0.classID)?.kind == .mainQueue })
  }
}

// MARK: - Threads for blocks

extension ProcessSnapshot {
  /// The maximum number of threads. While all threads of its pool are blocked, Dispatch adds one each second, up to
  /// this number.
  private static let maximumThreads = 255

  /// The waiting threads other than the main thread.
  private var workers: [Thread] { threads.filter { $0.isBlocked && $0.id != mainThread } }

  /// Whether blocks wait for a thread while every thread that runs a block waits as well, at least one per processor.
  /// With fewer waiting threads, a thread that could run the next block is free.
  var isStarved: Bool { workers.count >= processors && workers.count >= blocks.running && starved > 0 }

  /// Whether that has lasted for `limit` nanoseconds, and needs more threads than Dispatch will ever have.
  func isExhausted(after limit: UInt64) -> Bool {
    let old = workers.count { now > $0.waitingSince ?? now && now - ($0.waitingSince ?? now) >= limit }
    return old >= processors && isStarved && wantedThreads > Self.maximumThreads
  }

  /// The number of blocks that could begin if they had a thread.
  var starved: Int64 { starvedQueues.reduce(blocks.pendingGlobal) { $0 + Int64($1.pending) } }

  /// Queues with blocks that could begin if they had a thread.
  private var starvedQueues: [Queue] {
    let waiting = queues.filter(\.isInDemand)
    guard !waiting.isEmpty else { return [] }
    let analysis = analysis
    return waiting.filter { queue in
      // A block may begin beside others if none of them can be a barrier.
      let isShared = classes.named(queue.classID)?.isShared ?? false
      return analysis.holder(of: queue.instance, shared: isShared) == nil
        && (queue.target == 0 || analysis.holder(of: queue.target) == nil)
        && !threads.contains { $0.id == mainThread && $0.holds.contains { $0.resource.instance == queue.instance } }
    }
  }

  /// The number of threads in the pool that would run at once all running blocks and all that could begin.
  ///
  /// Serial queues, and queues that target them, take their threads from another pool, which grows at once.
  private var wantedThreads: Int64 {
    func isSerial(_ classID: UInt32?) -> Bool { classID.flatMap(classes.named)?.isSerial ?? false }
    let elsewhere = threads.count { $0.id != mainThread && isSerial($0.holds.first?.resource.classID) }
    let classIDs = Dictionary(queues.map { ($0.instance, $0.classID) }, uniquingKeysWith: { first, _ in first })
    return starvedQueues.filter { !isSerial($0.classID) && !isSerial(classIDs[$0.target]) }
      .reduce(max(0, blocks.running - Int64(elsewhere)) + blocks.pendingGlobal) { $0 + Int64($1.pending) }
  }
}
