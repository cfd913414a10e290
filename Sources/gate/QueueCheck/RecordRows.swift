import CGatehouseWaits
import GatehouseQueues

/// What is held or asked for, and the stack that did.
struct RecordedHold: Sendable {
  let thing: WaitThing
  let frames: [UInt]

  init(_ row: Bytes) {
    thing = WaitThing(
      instance: row.u64(0), classID: row.u32(GWR_THING_CLASS), isShared: row.u32(GWR_THING_SHARED) != 0)
    frames = row.addresses(GWR_HOLD_FRAMES, count: min(Int(row.u32(GWR_HOLD_COUNT)), GW_FRAMES))
  }
}

/// What was made at one place under one name.
struct RecordedClass: Sendable {
  let kind: UInt32
  let label: String
  let isNoLock: Bool
  let hasBarriers: Bool
  /// Of a global lock: it has no place where it is made.
  let address: UInt
  let makers: [UInt]

  init(_ row: Bytes) {
    kind = row.u32(0)
    label = row.text(GWR_CLASS_LABEL, GWR_LABEL)
    isNoLock = row.u32(GWR_CLASS_NO_LOCK) != 0
    hasBarriers = row.u32(GWR_CLASS_BARRIER) != 0
    address = UInt(truncatingIfNeeded: row.u64(GWR_CLASS_ADDRESS))
    makers = row.addresses(GWR_CLASS_FRAMES, count: min(Int(row.u32(GWR_CLASS_COUNT)), GW_FRAMES))
  }
}

extension RecordedClass {
  /// Its queues run one block after the other.
  var isSerial: Bool { kind == GWR_SERIAL.rawValue }
  /// Its queues are concurrent, and no block on them was ever a barrier.
  var isShared: Bool { kind == GWR_CONCURRENT.rawValue && !hasBarriers }
}

extension [RecordedClass] {
  /// The class of this number.
  func named(_ id: UInt32) -> RecordedClass? {
    let place = Int(id) - 1
    return indices.contains(place) ? self[place] : nil
  }
}

/// A wait whose waker nobody knows.
struct RecordedWait: Sendable {
  let thread: UInt32
  /// It blocks a thread of Swift's cooperative pool.
  let isCooperative: Bool
  let held, asked: RecordedHold

  init(_ row: Bytes) {
    thread = row.u32(0)
    isCooperative = row.u32(GWR_WAIT_COOPERATIVE) != 0
    held = RecordedHold(row.part(GWR_WAIT_HELD, GWR_HOLD_SIZE))
    asked = RecordedHold(row.part(GWR_WAIT_ASKED, GWR_HOLD_SIZE))
  }
}

/// A queue, and how many asynchronous blocks wait for their turn on it.
struct RecordedQueue: Sendable {
  let instance, target: UInt64
  let classID: UInt32
  let pending, suspended: Int32
  let begun: UInt64

  init(_ row: Bytes) {
    instance = row.u64(0)
    target = row.u64(GWR_QUEUE_TARGET)
    classID = row.u32(GWR_QUEUE_CLASS)
    pending = Int32(bitPattern: row.u32(GWR_QUEUE_PENDING))
    suspended = Int32(bitPattern: row.u32(GWR_QUEUE_SUSPENDED))
    begun = row.u64(GWR_QUEUE_BEGUN)
  }
}

/// What a thread holds, and what it waits for at this moment.
struct RecordedThread: Sendable {
  let id: UInt32
  let events: UInt64
  /// Since when it waits, in monotonic nanoseconds.
  let askingSince: UInt64?
  let asking: RecordedHold
  let holds: [RecordedHold]

  init(_ row: Bytes) {
    id = row.u32(0)
    events = row.u64(GWR_THREAD_EVENTS)
    let since = row.u64(GWR_THREAD_SINCE)
    askingSince = since == 0 ? nil : since
    asking = RecordedHold(row.part(GWR_THREAD_ASKING, GWR_HOLD_SIZE))
    let depth = min(Int(row.u32(GWR_THREAD_DEPTH)), GW_HOLDS)
    holds = (0..<depth).map { RecordedHold(row.part(GWR_THREAD_HOLDS + $0 * GWR_HOLD_SIZE, GWR_HOLD_SIZE)) }
  }
}

extension WatchedThread {
  init(_ thread: RecordedThread, isMain: Bool) {
    self.init(
      id: thread.id, isMain: isMain, asking: thread.askingSince == nil ? nil : thread.asking.thing,
      askedAt: thread.asking.frames, holds: thread.holds.map { ($0.thing, $0.frames) })
  }
}

extension RecordFile {
  var classes: [RecordedClass] { rows(.classes, of: GWR_CLASS_SIZE, atMost: GWR_CLASSES).map(RecordedClass.init) }

  /// Whether things of a class are the main queue.
  func isMain(classID: UInt32) -> Bool { classes.named(classID)?.kind == GWR_MAIN.rawValue }

  var waits: [RecordedWait] {
    rows(.waits, of: GWR_WAIT_SIZE, atMost: GWR_WAITS).map(RecordedWait.init).filter { $0.thread != 0 }
  }

  var queues: [RecordedQueue] {
    rows(.queues, of: GWR_QUEUE_SIZE, atMost: GWR_QUEUES).map(RecordedQueue.init).filter { $0.instance != 0 }
  }

  var threads: [RecordedThread] {
    rows(.threads, of: GWR_THREAD_SIZE, atMost: GWR_THREADS).map(RecordedThread.init).filter { $0.id != 0 }
  }

  private func guards(_ edge: Bytes) -> Set<WaitGuard> {
    let rows = (0..<GW_GUARDS).map { edge.part(GWR_EDGE_GUARDS + $0 * GWR_GUARD_SIZE, GWR_GUARD_SIZE) }
    let known = rows.prefix { $0.u64(0) != 0 }.filter { $0.u32(GWR_GUARD_UNSURE) == 0 }
    return Set(known.map { WaitGuard(instance: $0.u64(0), classID: $0.u32(GWR_GUARD_CLASS)) })
  }

  var edges: [WaitEdge] {
    rows(.edges, of: GWR_EDGE_SIZE, atMost: GWR_EDGES).compactMap { row in
      let thread = row.u32(GWR_EDGE_TID)
      guard thread != 0 else { return nil }
      let from = RecordedHold(row.part(GWR_EDGE_FROM, GWR_HOLD_SIZE))
      let to = RecordedHold(row.part(GWR_EDGE_TO, GWR_HOLD_SIZE))
      let reason: WaitEdge.Reason =
        switch row.u32(GWR_EDGE_REASON) {
        case GW_ITSELF.rawValue: .itself
        case GW_SIGNAL.rawValue: .signal(RecordedHold(row.part(GWR_EDGE_VIA, GWR_HOLD_SIZE)).thing)
        default: .asked
        }
      return WaitEdge(
        reason, from: from.thing, to: to.thing, heldAt: from.frames, askedAt: to.frames,
        guards: guards(row), thread: thread)
    }
  }
}
