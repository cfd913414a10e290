import CGatehouseWaits
import Dispatch
import GatehouseWaits
import Synchronization

/// A dispatch semaphore that the wait monitor observes.
///
/// A semaphore made with 0 is a signal. The monitor adds an edge from each waiter to the one queue or lock on which
/// `signal` is called, declared or seen; it adds none when `signal` is called on several. A semaphore made with 1, and
/// signaled by the thread that took it, is a lock. Any other wait is counted as unattributed, and never reported as a
/// deadlock. Usable from any thread.
public final class WatchedSemaphore: Sendable {
  private let semaphore: DispatchSemaphore
  private let identity: WaitIdentity
  private let record: SignalRecord
  private let nature: UnwatchedLock<Nature>
  /// Whether a thread is recorded as holding it as a lock. It must then be left even if the monitor was turned off
  /// meanwhile.
  private let isEntered = Atomic<Bool>(false)

  private enum Nature { case signal(giver: gw_thing?), lock, count }

  /// Makes a semaphore.
  ///
  /// - Parameters:
  ///   - value: the number of waits that return without a `signal`. A negative value counts as 0.
  ///   - giver: the queue on which `signal` will be called.
  ///   - file: the source file that makes the semaphore, for the wait monitor's reports.
  ///   - line: the line in `file`.
  public init(value: Int, signaledBy giver: SerialQueue? = nil, file: StaticString = #fileID, line: UInt = #line) {
    // Raised from 0: releasing a dispatch semaphore whose value is below its initial one stops the process.
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
    self.nature = UnwatchedLock(nature)
    if let giver, gw_is_on() { record.declare(identity.thing(), givenBy: giver.thing) }
  }

  /// Takes the semaphore once. Blocks the thread until it can.
  public func wait() {
    guard gw_is_on() else { return semaphore.wait() }
    if case .signal(let giver?) = nature.withLock({ $0 }), gw_holds(giver.instance) {
      // Only this queue signals it, and cannot while this thread blocks it. Without an earlier signal, this is a
      // deadlock.
      if semaphore.wait(timeout: .now()) == .success { return }
      _ = gw_ask(giver)
    }
    ask()
    semaphore.wait()
    taken()
  }

  /// Waits for `timeout` at most, in real time. Such a wait ends by itself, so it is part of no cycle.
  ///
  /// - Returns: whether the semaphore was taken.
  public func wait(timeout: Duration) -> Bool {
    let deadline = DispatchTime.now() + timeout.inSeconds
    guard gw_is_on() else { return semaphore.wait(timeout: deadline) == .success }
    gw_waits(identity.thing())  // ends by itself: no edge
    let isTaken = semaphore.wait(timeout: deadline) == .success
    if isTaken { taken() } else { gw_asked() }
    return isTaken
  }

  /// Lets one waiter continue, now or when it comes.
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
    // Given elsewhere than declared, it says nothing.
    case .signal(let giver): if giver.map({ gw_holds($0.instance) }) ?? true { record.give(thing) }
    case .lock where gw_holds(thing.instance): gw_leave(thing.instance)
    case .lock:
      // One thread took it and another signals it: not a lock.
      nature.withLock { $0 = .count }
      WaitMonitor.noteNoLock(thing)
    case .count: break
    }
  }
}

/// A dispatch group that the wait monitor observes: a waiter waits for all its members. Usable from any thread.
public final class Group: Sendable {
  private let group = DispatchGroup()
  private let identity: WaitIdentity
  private let record = SignalRecord(needsAll: true)

  /// Makes a group without members.
  ///
  /// - Parameters:
  ///   - file: the source file that makes the group, for the wait monitor's reports.
  ///   - line: the line in `file`.
  public init(file: StaticString = #fileID, line: UInt = #line) {
    identity = WaitIdentity(.signal, label: "", file: file, line: line)
  }

  /// Adds a member. Each member needs its own `leave()`.
  public func enter() {
    if gw_is_on() {
      let thing = identity.thing(in: WaitMonitor.scope)
      WaitMonitor.noteEntered(thing, isPhase: record.enter(thing))
    }
    group.enter()
  }

  /// Removes a member, which has ended. More calls than of `enter()` stop the process.
  public func leave() { leave(isEnd: false) }

  /// - Parameter isEnd: whether a block that was submitted as a member has ended.
  private func leave(isEnd: Bool) {
    if gw_is_on() {
      let thing = identity.thing(in: WaitMonitor.scope)
      record.give(thing)
      WaitMonitor.noteLeft(thing, isEnd: isEnd)
    }
    group.leave()
  }

  /// Returns the block as a member of the group, from now until it ends.
  func member(_ block: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    if gw_is_on() { _ = record.enter(identity.thing(in: WaitMonitor.scope)) }
    group.enter()
    return {
      block()
      self.leave(isEnd: true)
    }
  }

  /// Blocks the thread until every member has left.
  public func wait() {
    guard gw_is_on() else { return group.wait() }
    WaitMonitor.noteBlockingWait(identity.thing())
    let thing = identity.thing(in: WaitMonitor.scope)
    _ = gw_ask(thing)
    record.wait(thing)
    if !record.hasGiver { WaitMonitor.noteUnattributed(thing) }
    group.wait()
    gw_asked()
    record.empty(thing)
  }

  /// Runs a block on a queue when every member has left. Does not wait for it.
  public func notify(on queue: SerialQueue, _ block: @escaping @Sendable () -> Void) {
    let work = CarriedWork.current
    let once = TakeOnce(block)
    group.notify(queue: queue.dispatchQueue) { queue.run(work, once) }
  }

  func isGiven(by queue: SerialQueue) {
    if gw_is_on() { record.declare(identity.thing(in: WaitMonitor.scope), givenBy: queue.thing) }
  }
}
