import CGatehouseWaits
import Dispatch
import GatehouseWaits
import Synchronization

/// A dispatch semaphore that the wait monitor knows.
///
/// Made with 0 it is a signal: the monitor makes an edge from each waiter to the one queue or lock on which it is
/// given, declared or seen, and none when several give it. Made with 1 and given back by the thread that took it, it is
/// a lock. Any other wait is counted as unattributed, and never called a deadlock.
public final class Semaphore: Sendable {
  private let semaphore: DispatchSemaphore
  private let identity: WaitIdentity
  private let record: SignalRecord
  private let nature: Lock<Nature>
  /// Whether a thread is recorded to hold it as a lock: it must leave it though the monitor was turned off meanwhile.
  private let isEntered = Atomic<Bool>(false)

  private enum Nature { case signal(giver: gw_thing?), lock, count }

  /// - Parameter giver: the queue on which `signal` will be called.
  public init(value: Int, signalledBy giver: SerialQueue? = nil, file: StaticString = #fileID, line: UInt = #line) {
    // Raised from 0: a dispatch semaphore that goes while it stands below its first value stops the process.
    semaphore = DispatchSemaphore(value: 0)
    for _ in 0..<max(value, 0) { semaphore.signal() }
    identity = WaitIdentity(value == 1 ? .lock : .signal, label: "", file: file, line: line)
    record = SignalRecord(needsAll: false)
    let nature: Nature =
      switch value {
      case ...0: .signal(giver: giver?.thing)
      case 1: .lock
      default: .count
      }
    self.nature = Lock(unwatched: nature)
    if let giver, gw_is_on() { record.declare(identity.thing(), givenBy: giver.thing) }
  }

  /// Waits until it was given once more often than taken.
  public func wait() {
    guard gw_is_on() else { return semaphore.wait() }
    if case .signal(let giver?) = nature.withLock({ $0 }), gw_holds(giver.instance) {
      // Nobody else gives it, and nobody can while this thread is there: unless it was given, that is the end.
      if semaphore.wait(timeout: .now()) == .success { return }
      _ = gw_ask(giver)
    }
    ask()
    semaphore.wait()
    taken()
  }

  /// Waits for so many seconds at most; whether it was taken. Such a wait is in no circle: it ends.
  public func wait(seconds: Double) -> Bool {
    let deadline = DispatchTime.now() + seconds
    guard gw_is_on() else { return semaphore.wait(timeout: deadline) == .success }
    gw_waits(identity.thing())  // ends by itself: no edge
    let isTaken = semaphore.wait(timeout: deadline) == .success
    if isTaken { taken() } else { gw_asked() }
    return isTaken
  }

  /// Gives it, or gives it back.
  public func signal() {
    if gw_is_on() || isEntered.load(ordering: .relaxed) { given() }
    semaphore.signal()
  }

  // MARK: - With the monitor

  private func ask() {
    WaitMonitor.noteBlockingWait(identity.thing())
    let thing = identity.thing(in: WaitMonitor.scope)
    switch nature.withLock({ $0 }) {
    case .signal:
      _ = gw_ask(thing)
      record.wait(thing)
      if !record.hasGiver { WaitMonitor.noteUnattributed(thing) }
    case .lock: _ = gw_ask(thing)
    case .count:
      gw_waits(thing)
      WaitMonitor.noteUnattributed(thing)
    }
  }

  private func taken() {
    if case .lock = nature.withLock({ $0 }) {
      gw_enter(identity.thing())
      isEntered.store(true, ordering: .relaxed)
    }
    gw_asked()
  }

  private func given() {
    let thing = identity.thing(in: WaitMonitor.scope)
    isEntered.store(false, ordering: .relaxed)
    switch nature.withLock({ $0 }) {
    case .signal(let giver): if giver == nil { record.give(thing) }
    case .lock where gw_holds(thing.instance): gw_leave(thing.instance)
    case .lock:
      // Taken by one and given by another: no lock.
      nature.withLock { $0 = .count }
      WaitMonitor.noteNoLock(thing)
    case .count: break
    }
  }
}

/// A dispatch group that the wait monitor knows: whoever waits for it waits for all its members.
public final class Group: Sendable {
  private let group = DispatchGroup()
  private let identity: WaitIdentity
  private let record = SignalRecord(needsAll: true)

  public init(file: StaticString = #fileID, line: UInt = #line) {
    identity = WaitIdentity(.signal, label: "", file: file, line: line)
  }

  public func enter() { group.enter() }

  public func leave() {
    if gw_is_on() { record.give(identity.thing(in: WaitMonitor.scope)) }
    group.leave()
  }

  /// Waits until every member has left.
  public func wait() {
    guard gw_is_on() else { return group.wait() }
    WaitMonitor.noteBlockingWait(identity.thing())
    let thing = identity.thing(in: WaitMonitor.scope)
    _ = gw_ask(thing)
    record.wait(thing)
    if !record.hasGiver { WaitMonitor.noteUnattributed(thing) }
    group.wait()
    gw_asked()
  }

  /// Runs a block on a queue when every member has left.
  public func notify(on queue: SerialQueue, _ block: @escaping @Sendable () -> Void) {
    let scope = gw_is_on() ? WaitMonitor.scopeToCarry : 0
    let once = TakeOnce(block)
    group.notify(queue: queue.dispatchQueue) { queue.run(scope, once) }
  }

  func isGiven(by queue: SerialQueue) {
    if gw_is_on() { record.declare(identity.thing(in: WaitMonitor.scope), givenBy: queue.thing) }
  }
}
