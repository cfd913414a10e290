package import CGatehouseWaits
import GatehouseBase
package import GatehouseWaits
import Glibc
import Synchronization

// The interface to the recorder in C. `unsafe`: the recorder passes a dependency by a pointer that is valid during the
// call, and C arrays are imported as tuples.

/// Starts to receive dependencies. The sink runs on the thread that waits, and may itself wait only for one short lock.
func beginRecording() {
  unsafe gw_begin(
    { edge in if let edge = unsafe edge { unsafe WaitMonitor.take(Dependency(edge.pointee)) } }, gw_room())
}

// The recorder's structures as values, for the monitor and for `gate`, which reads them from another process's record.

extension Dependency {
  package init(_ edge: gw_edge) {
    let reason: Reason =
      switch edge.reason {
      case GW_ITSELF: .selfWait
      case GW_SIGNAL: .signal(WaitResource(edge.via))
      default: .wait
      }
    let guards: [gw_guard] = values(of: edge.guards)
    let known = guards.prefix { $0.instance != 0 }
    self.init(
      reason, from: WaitResource(edge.from.thing), to: WaitResource(edge.to.thing), heldAt: edge.from.addresses,
      waitedAt: edge.to.addresses, guards: Set(known.filter { $0.is_unsure == 0 }.map(WaitGuard.init)),
      undecided: Set(known.filter { $0.is_unsure != 0 }.map(WaitGuard.init)), hasLostGuards: edge.lost_guards > 0,
      side: WaitGuard.Side(edge.side), thread: edge.tid, number: edge.number,
      givenAt: edge.given_at == 0 ? nil : edge.given_at, scope: edge.scope,
      isFromPrivate: edge.privacy & UInt32(GW_FROM_PRIVATE) != 0,
      isToPrivate: edge.privacy & UInt32(GW_TO_PRIVATE) != 0, isLast: edge.is_last != 0,
      isAnswer: edge.is_answer != 0)
  }
}

extension WaitGuard.Side {
  fileprivate init?(_ side: UInt32) {
    switch side {
    case GW_SIDE_ALONE.rawValue: self = .alone
    case GW_SIDE_SHARED.rawValue: self = .shared
    case GW_SIDE_MEMBER.rawValue: self = .member
    case GW_SIDE_EMPTY.rawValue: self = .keptOut
    case GW_SIDE_MAIN.rawValue: self = .main
    case GW_SIDE_RUN.rawValue: self = .run
    case GW_SIDE_RAN.rawValue: self = .ran
    default: return nil
    }
  }
}

extension WaitGuard {
  fileprivate init(_ row: gw_guard) {
    self.init(instance: row.instance, classID: row.class_id, side: Side(UInt32(row.side)) ?? .alone)
  }
}

extension WaitResource {
  package init(_ thing: gw_thing) {
    self.init(instance: thing.instance, classID: thing.class_id, isShared: thing.is_shared != 0)
  }
}

extension gw_hold {
  fileprivate var addresses: [UInt] { values(of: frames).prefix(Int(clamping: frame_count)).map { $0 } }
}

/// The values of a C array, which Swift imports as a tuple.
package func values<Tuple: BitwiseCopyable, Value: BitwiseCopyable>(of tuple: Tuple) -> [Value] {
  unsafe withUnsafeBytes(of: tuple) { bytes in
    (0..<bytes.count / MemoryLayout<Value>.stride).map {
      unsafe bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Value>.stride, as: Value.self)
    }
  }
}

/// The losses of the recorder, which had no room for them: one line for each kind.
var lossesOfRecorder: [String] {
  let lost = gw_lost()
  let counts: [(count: UInt64, what: String)] = [
    (lost.threads, "threads"), (lost.holds, "holds, of threads that hold very many things"),
    (lost.edges, "waits that were not compared with earlier ones"),
  ]
  return counts.filter { $0.count > 0 }.map { "\($0.what): \($0.count) lost" }
}

/// The calling stack: return addresses, innermost first.
func callingStack() -> [UInt] {
  var hold = gw_hold()
  unsafe withUnsafeMutableBytes(of: &hold.frames) { bytes in
    hold.frame_count = unsafe gw_stack(bytes.bindMemory(to: UInt.self).baseAddress, UInt32(GW_FRAMES), 0)
  }
  return hold.addresses
}

/// The return addresses of the calling thread's plain frames, innermost first, whether the monitor is on or not.
func callers() -> [UInt] {
  unsafe withUnsafeTemporaryAllocation(of: UInt.self, capacity: 40) { frames in
    let count = unsafe gw_callers(frames.baseAddress, UInt32(frames.count))
    return unsafe Array(frames.prefix(Int(count)))
  }
}

extension WatchedThread.Hold {
  package init(_ hold: gw_hold) { self.init(WaitResource(hold.thing), at: hold.addresses) }
}

extension WatchedThread {
  /// - Parameter moment: monotonic nanoseconds. A wait that began later does not count.
  fileprivate init(_ thread: gw_thread, waitingSince moment: Int64) {
    let isWaiting = thread.asking_since != 0 && Int64(truncatingIfNeeded: thread.asking_since) < moment
    let holds: [gw_hold] = values(of: thread.holds)
    self.init(
      id: thread.tid, isMain: thread.tid == UInt32(truncatingIfNeeded: getpid()),
      wait: isWaiting ? Hold(thread.asking) : nil,
      holds: holds.prefix(Int(clamping: thread.depth)).map(Hold.init))
  }

  /// The living threads that have ever held a resource or waited for one.
  static func all(waitingSince moment: Int64) -> [WatchedThread] {
    var room = 512
    while true {
      let all = all(waitingSince: moment, room: room)
      if all.count < room { return all }
      room *= 2
    }
  }

  private static func all(waitingSince moment: Int64, room: Int) -> [WatchedThread] {
    unsafe withUnsafeTemporaryAllocation(of: gw_thread.self, capacity: room) { copies in
      let count = unsafe gw_threads(copies.baseAddress, UInt32(room))
      return unsafe copies.prefix(Int(count)).map { WatchedThread($0, waitingSince: moment) }
    }
  }
}

/// Whether a task runs on the calling thread.
func isInTask() -> Bool { unsafe withUnsafeCurrentTask { unsafe $0 != nil } }

/// The threads that wait for a signal and those that give it.
///
/// `@unchecked`: the recorder's structure contains its own lock.
@safe
final class SignalRecord: @unchecked Sendable {
  private let signal: UnsafeMutablePointer<gw_signal>

  init(needsAll: Bool) {
    unsafe signal = .allocate(capacity: 1)
    unsafe signal.initialize(to: gw_signal())
    unsafe signal.pointee.needs_all = needsAll ? 1 : 0
  }

  deinit { unsafe signal.deallocate() }

  /// Whether the resource on which the signal is given is known.
  var hasGiver: Bool { unsafe gw_signal_has_giver(signal) }

  func wait(_ thing: gw_thing) { unsafe gw_signal_wait(signal, thing) }
  func give(_ thing: gw_thing) {
    if unsafe signal.pointee.needs_all != 0 {
      unsafe gw_group_leave(signal, thing, false)
    } else {
      unsafe gw_signal_give(signal, thing)
    }
  }
  /// Records that the calling thread enters a group. Returns whether the group is used in phases.
  func enter(_ thing: gw_thing) -> Bool { unsafe gw_group_enter(signal, thing) }
  /// Records that the calling thread has waited for a group and seen it empty.
  func empty(_ thing: gw_thing) { unsafe gw_group_empty(signal, thing) }
  func declare(_ thing: gw_thing, givenBy giver: gw_thing) { unsafe gw_signal_declare(signal, thing, giver) }
}
