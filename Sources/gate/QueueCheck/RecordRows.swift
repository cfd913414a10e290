import CGatehouseWaits
import Foundation
import GatehouseQueues
import GatehouseWaits

// The rows of a record, as values. Only this file knows how the recorder lays them out.

/// Returns the text up to the first zero byte.
private func text<Tuple: BitwiseCopyable>(_ tuple: Tuple) -> String {
  let bytes: [UInt8] = values(of: tuple)
  return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
}

extension RecordedClass.Kind {
  /// The kind with this number; `nil` for a row that is still being written.
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
    case GWR_ONCE.rawValue: self = .once
    case GWR_REPEATED.rawValue: self = .repeatedWork
    case GWR_JOB.rawValue: self = .block
    case GWR_FUTURE.rawValue: self = .future
    default: return nil
    }
  }
}

extension RecordedClass {
  fileprivate init(_ row: gwr_class) {
    let makers: [UInt] = values(of: row.frames)
    self.init(
      Kind(row.kind) ?? .workItem, label: text(row.label), isNoLock: row.is_no_lock != 0,
      isNoGuard: row.is_no_guard != 0, isUnrelated: row.is_instance_only != 0,
      isDoubtful: row.is_doubtful != 0, hasBarriers: row.has_barriers != 0,
      address: UInt(truncatingIfNeeded: row.address),
      makers: Array(makers.prefix(Int(clamping: row.frame_count))))
  }
}

extension UnattributedWait {
  fileprivate init(_ row: gwr_wait) {
    let held = WatchedThread.Hold(row.held)
    self.init(
      thread: row.tid, isCooperative: row.is_cooperative != 0, held: held.resource.instance == 0 ? nil : held,
      asked: WatchedThread.Hold(row.asked))
  }
}

extension ProcessSnapshot.Queue {
  fileprivate init(_ row: gwr_queue) {
    self.init(
      instance: row.instance, target: row.target, classID: row.class_id, pending: row.pending,
      suspended: row.suspended, begun: row.begun, timersUntil: row.timers_until)
  }
}

extension ProcessSnapshot.Thread {
  /// - Parameter more: the holds for which there is no room in the row.
  fileprivate init(_ row: gw_thread, more: [gw_hold]) {
    let holds: [gw_hold] = values(of: row.holds)
    self.init(
      id: row.tid, events: row.events, waitingSince: row.asking_since == 0 ? nil : row.asking_since,
      wait: WatchedThread.Hold(row.asking),
      holds: (holds.prefix(Int(clamping: row.depth)) + more).map(WatchedThread.Hold.init),
      isLimited: row.asking_limited != 0)
  }
}

extension TimelineEvent {
  /// `nil` for a row that is still being written.
  fileprivate init?(_ row: gwr_moment) {
    let action: Action
    switch row.act {
    case GWR_SUBMIT.rawValue: action = .submit
    case GWR_ASK.rawValue: action = .wait
    case GWR_BEGIN.rawValue: action = .begin
    case GWR_END.rawValue: action = .end
    case GWR_ASKED.rawValue: action = .waited
    default: return nil
    }
    self.init(
      action, thread: row.tid, at: row.at, queue: row.instance, classID: row.class_id, job: row.job)
  }
}

extension RecordFile {
  var classes: [RecordedClass] { rows(header.classes, of: gwr_class.self).map(RecordedClass.init) }

  var waits: [UnattributedWait] {
    rows(header.waits, of: gwr_wait.self).map(UnattributedWait.init).filter { $0.thread != 0 }
  }

  var dependencies: [Dependency] {
    // A row without a thread is still being written, or was withdrawn. A row that is still marked private is left out,
    // because other threads did not learn of its resource in time.
    rows(header.edges, of: gw_edge.self).filter { $0.tid != 0 && $0.privacy == 0 }.map(Dependency.init)
  }

  /// What the threads hold and wait for now.
  var snapshot: ProcessSnapshot {
    // The classes are read last. Their number only grows, so every class number that was read before has its class.
    let threads = rows(header.threads, of: gw_thread.self).filter { $0.tid != 0 }
    let queues = rows(header.queues, of: gwr_queue.self).map(ProcessSnapshot.Queue.init)
    return ProcessSnapshot(
      processID: processID, mainThread: header.main_tid,
      threads: threads.map { ProcessSnapshot.Thread($0, more: deeperHolds(of: $0)) },
      queues: queues.filter { $0.instance != 0 }, classes: classes,
      blocks: ProcessSnapshot.Blocks(
        pendingGlobal: header.pending_global, begunGlobal: header.begun_global, running: header.running,
        ended: header.ended),
      processors: ProcessInfo.processInfo.activeProcessorCount, now: DispatchTime.now().uptimeNanoseconds,
      timersUntil: header.timers_until)
  }

  private func deeperHolds(of thread: gw_thread) -> [gw_hold] {
    guard thread.depth > UInt32(GW_HOLDS), thread.more_at > 0, UInt64(thread.more_at) <= header.more.room else {
      return []
    }
    let block = header.more.at + UInt64(thread.more_at - 1) * UInt64(MemoryLayout<gw_more>.stride)
    let count = min(thread.depth - UInt32(GW_HOLDS), UInt32(GW_MORE))
    return values(at: block + UInt64(MemoryLayout<(UInt32, UInt32)>.size), count: UInt64(count))
  }

  /// The latest events of the timeline, as many as the record has room for, in the order of time.
  var events: [TimelineEvent] {
    rows(header.moments, of: gwr_moment.self).compactMap(TimelineEvent.init).sorted { $0.at < $1.at }
  }

  /// The number of events that were overwritten by later ones.
  var lostEvents: Int {
    Int(clamping: header.moments.count) - Int(clamping: min(header.moments.count, header.moments.room))
  }
}
