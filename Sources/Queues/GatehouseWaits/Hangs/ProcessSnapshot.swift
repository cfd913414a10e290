/// What the threads and queues of a watched process hold and wait for at one moment.
package struct ProcessSnapshot: Sendable {
  /// One thread.
  package struct Thread: Sendable {
    package let id: UInt32
    /// Incremented whenever the thread waits for a resource, gets it or releases it.
    package let events: UInt64
    /// Since when it waits, in monotonic nanoseconds; nil if it does not wait.
    package let waitingSince: UInt64?
    /// What it waits for, or waited for last.
    package let wait: WatchedThread.Hold
    package let holds: [WatchedThread.Hold]
    /// Its wait may end without another thread of the process: it has a limit, or it is for an object that the process
    /// shares with others.
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

    /// Whether it waits for another thread, for as long as that takes.
    var isBlocked: Bool { waitingSince != nil && !isLimited }
  }

  /// One queue, and the asynchronous blocks on it.
  package struct Queue: Sendable {
    package let instance: UInt64
    /// The queue that it targets; 0: a global queue.
    package let target: UInt64
    package let classID: UInt32
    /// Blocks that wait for their turn.
    package let pending: Int32
    /// How often it was suspended and not resumed.
    package let suspended: Int32
    /// Blocks that have begun.
    package let begun: UInt64

    package init(instance: UInt64, target: UInt64, classID: UInt32, pending: Int32, suspended: Int32, begun: UInt64) {
      self.instance = instance
      self.target = target
      self.classID = classID
      self.pending = pending
      self.suspended = suspended
      self.begun = begun
    }

    /// Blocks wait, and may begin.
    var isInDemand: Bool { pending > 0 && suspended <= 0 }
  }

  /// The asynchronous blocks of the whole process.
  package struct Blocks: Sendable {
    /// Blocks on the global queues that have not begun, and those that have.
    package let pendingGlobal: Int64, begunGlobal: UInt64
    /// Blocks that have begun and not ended, and those that have ended.
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
  /// When the snapshot was taken, in monotonic nanoseconds.
  package let now: UInt64
  /// Until when a timer of the program may fire, in monotonic nanoseconds: 0 if none was set, the maximum if one
  /// repeats.
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

  /// Changes whenever a thread waits for a resource, gets it or releases it, and when a block begins.
  var progress: UInt64 {
    threads.reduce(0) { $0 &+ $1.events &+ UInt64($1.id) } &+ queues.reduce(0) { $0 &+ $1.begun } &+ blocks.begunGlobal
  }

  /// Whether a thread waits, and there is demand: it holds something, or a block waits for a thread.
  var isWaiting: Bool {
    let waiting = threads.filter(\.isBlocked)
    return !waiting.isEmpty
      && (waiting.contains { !$0.holds.isEmpty } || blocks.pendingGlobal > 0 || queues.contains(where: \.isInDemand))
  }

  /// Which thread waits for which.
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
  /// While all threads of its pool are blocked, Dispatch adds one a second, up to this many.
  private static let maximumThreads = 255

  /// Threads other than the main thread that wait.
  private var workers: [Thread] { threads.filter { $0.isBlocked && $0.id != mainThread } }

  /// Whether blocks wait for a thread while every thread that runs one waits as well, and at least one for each
  /// processor does: with fewer, a thread that could run the next block is free.
  var isStarved: Bool { workers.count >= processors && workers.count >= blocks.running && starved > 0 }

  /// Whether that has lasted for so long, in nanoseconds, and Dispatch will never have as many threads as it takes.
  func isExhausted(after limit: UInt64) -> Bool {
    let old = workers.count { now > $0.waitingSince ?? now && now - ($0.waitingSince ?? now) >= limit }
    return old >= processors && isStarved && wantedThreads > Self.maximumThreads
  }

  /// Blocks that could begin if they had a thread.
  var starved: Int64 { starvedQueues.reduce(blocks.pendingGlobal) { $0 + Int64($1.pending) } }

  /// Queues with blocks that could begin if they had a thread.
  private var starvedQueues: [Queue] {
    let waiting = queues.filter(\.isInDemand)
    guard !waiting.isEmpty else { return [] }
    let analysis = analysis
    return waiting.filter { queue in
      // Beside other blocks, if none of them can be a barrier.
      let isShared = classes.named(queue.classID)?.isShared ?? false
      return analysis.holder(of: queue.instance, shared: isShared) == nil
        && (queue.target == 0 || analysis.holder(of: queue.target) == nil)
        && !threads.contains { $0.id == mainThread && $0.holds.contains { $0.resource.instance == queue.instance } }
    }
  }

  /// How many threads of the pool it takes to run at once all blocks that run and all that could begin.
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
