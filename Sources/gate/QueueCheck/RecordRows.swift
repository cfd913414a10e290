import CGatehouseWaits
import Foundation
import GatehouseWaits

// The rows of a record, as values: the one place that knows how the recorder lays them out.

extension WatchedThread.Hold {
  fileprivate init(_ row: Bytes) {
    let resource = WaitResource(
      instance: row.u64(0), classID: row.u32(GWR_THING_CLASS), isShared: row.u32(GWR_THING_SHARED) != 0)
    self.init(resource, at: row.addresses(GWR_HOLD_FRAMES, count: min(Int(row.u32(GWR_HOLD_COUNT)), GW_FRAMES)))
  }
}

extension RecordedClass.Kind {
  /// The kind of this number. Nil for a row that is still being written.
  fileprivate init?(_ kind: UInt32) {
    switch kind {
    case GWR_SERIAL.rawValue: self = .serialQueue
    case GWR_CONCURRENT.rawValue: self = .concurrentQueue
    case GWR_MAIN.rawValue: self = .mainQueue
    case GWR_POOL.rawValue: self = .pool
    case GWR_MUTEX.rawValue: self = .mutex
    case GWR_RWLOCK.rawValue: self = .readWriteLock
    case GWR_LOCK_SEMAPHORE.rawValue: self = .semaphoreLock
    case GWR_SEMAPHORE.rawValue: self = .semaphore
    case GWR_GROUP.rawValue: self = .group
    case GWR_CONDITION.rawValue: self = .condition
    case GWR_THREAD.rawValue: self = .thread
    case GWR_BLOCK.rawValue: self = .workItem
    default: return nil
    }
  }
}

extension RecordedClass {
  fileprivate init(_ row: Bytes) {
    self.init(
      Kind(row.u32(0)) ?? .workItem, label: row.text(GWR_CLASS_LABEL, GWR_LABEL),
      isNoLock: row.u32(GWR_CLASS_NO_LOCK) != 0, hasBarriers: row.u32(GWR_CLASS_BARRIER) != 0,
      address: UInt(truncatingIfNeeded: row.u64(GWR_CLASS_ADDRESS)),
      makers: row.addresses(GWR_CLASS_FRAMES, count: min(Int(row.u32(GWR_CLASS_COUNT)), GW_FRAMES)))
  }
}

extension UnattributedWait {
  fileprivate init(_ row: Bytes) {
    let held = WatchedThread.Hold(row.part(GWR_WAIT_HELD, GWR_HOLD_SIZE))
    self.init(
      thread: row.u32(0), isCooperative: row.u32(GWR_WAIT_COOPERATIVE) != 0,
      held: held.resource.instance == 0 ? nil : held, asked: WatchedThread.Hold(row.part(GWR_WAIT_ASKED, GWR_HOLD_SIZE))
    )
  }
}

extension ProcessSnapshot.Queue {
  fileprivate init(_ row: Bytes) {
    self.init(
      instance: row.u64(0), target: row.u64(GWR_QUEUE_TARGET), classID: row.u32(GWR_QUEUE_CLASS),
      pending: Int32(bitPattern: row.u32(GWR_QUEUE_PENDING)),
      suspended: Int32(bitPattern: row.u32(GWR_QUEUE_SUSPENDED)),
      begun: row.u64(GWR_QUEUE_BEGUN))
  }
}

extension ProcessSnapshot.Thread {
  fileprivate init(_ row: Bytes) {
    let since = row.u64(GWR_THREAD_SINCE), depth = min(Int(row.u32(GWR_THREAD_DEPTH)), GW_HOLDS)
    self.init(
      id: row.u32(0), events: row.u64(GWR_THREAD_EVENTS), waitingSince: since == 0 ? nil : since,
      wait: WatchedThread.Hold(row.part(GWR_THREAD_ASKING, GWR_HOLD_SIZE)),
      holds: (0..<depth).map { WatchedThread.Hold(row.part(GWR_THREAD_HOLDS + $0 * GWR_HOLD_SIZE, GWR_HOLD_SIZE)) })
  }
}

extension Dependency {
  /// Nil for a row that is still being written.
  fileprivate init?(_ row: Bytes) {
    let thread = row.u32(GWR_EDGE_TID)
    guard thread != 0 else { return nil }
    let from = WatchedThread.Hold(row.part(GWR_EDGE_FROM, GWR_HOLD_SIZE))
    let to = WatchedThread.Hold(row.part(GWR_EDGE_TO, GWR_HOLD_SIZE))
    let reason: Reason =
      switch row.u32(GWR_EDGE_REASON) {
      case GW_ITSELF.rawValue: .selfWait
      case GW_SIGNAL.rawValue: .signal(WatchedThread.Hold(row.part(GWR_EDGE_VIA, GWR_HOLD_SIZE)).resource)
      default: .wait
      }
    let rows = (0..<GW_GUARDS).map { row.part(GWR_EDGE_GUARDS + $0 * GWR_GUARD_SIZE, GWR_GUARD_SIZE) }
    let known = rows.prefix { $0.u64(0) != 0 }.filter { $0.u32(GWR_GUARD_UNSURE) == 0 }
    self.init(
      reason, from: from.resource, to: to.resource, heldAt: from.frames, waitedAt: to.frames,
      guards: Set(known.map { WaitGuard(instance: $0.u64(0), classID: $0.u32(GWR_GUARD_CLASS)) }), thread: thread)
  }
}

extension TimelineEvent {
  /// Nil for a row that is still being written.
  fileprivate init?(_ row: Bytes) {
    let action: Action
    switch row.u32(0) {
    case GWR_SUBMIT.rawValue: action = .submit
    case GWR_ASK.rawValue: action = .wait
    case GWR_BEGIN.rawValue: action = .begin
    case GWR_END.rawValue: action = .end
    case GWR_ASKED.rawValue: action = .waited
    default: return nil
    }
    self.init(
      action, thread: row.u32(GWR_MOMENT_TID), at: row.u64(GWR_MOMENT_AT), queue: row.u64(GWR_MOMENT_INSTANCE),
      classID: row.u32(GWR_MOMENT_CLASS), job: row.u32(GWR_MOMENT_JOB))
  }
}

extension RecordFile {
  var classes: [RecordedClass] { rows(.classes, of: GWR_CLASS_SIZE, atMost: GWR_CLASSES).map(RecordedClass.init) }

  var waits: [UnattributedWait] {
    rows(.waits, of: GWR_WAIT_SIZE, atMost: GWR_WAITS).map(UnattributedWait.init).filter { $0.thread != 0 }
  }

  var dependencies: [Dependency] { rows(.edges, of: GWR_EDGE_SIZE, atMost: GWR_EDGES).compactMap(Dependency.init) }

  /// What the threads hold and wait for now.
  var snapshot: ProcessSnapshot {
    // Classes last: they only grow, so every number that was read before has its class.
    let threads = rows(.threads, of: GWR_THREAD_SIZE, atMost: GWR_THREADS).map(ProcessSnapshot.Thread.init)
    let queues = rows(.queues, of: GWR_QUEUE_SIZE, atMost: GWR_QUEUES).map(ProcessSnapshot.Queue.init)
    return ProcessSnapshot(
      processID: processID, mainThread: mainThread, threads: threads.filter { $0.id != 0 },
      queues: queues.filter { $0.instance != 0 }, classes: classes,
      blocks: ProcessSnapshot.Blocks(
        pendingGlobal: pendingGlobal, begunGlobal: begunGlobal, running: running, ended: ended),
      processors: ProcessInfo.processInfo.activeProcessorCount, now: DispatchTime.now().uptimeNanoseconds,
      timersUntil: timersUntil)
  }

  /// The latest events of the timeline, as many as there is room for, in the order of time.
  var events: [TimelineEvent] {
    rows(.moments, of: GWR_MOMENT_SIZE, atMost: GWR_MOMENTS).compactMap(TimelineEvent.init).sorted { $0.at < $1.at }
  }

  /// How many events were overwritten by later ones.
  var lostEvents: Int { max(0, count(.moments) - Int(GWR_MOMENTS)) }
}
