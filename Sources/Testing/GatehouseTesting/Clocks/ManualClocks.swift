public import FoundationEssentials
public import GatehouseBase
import GatehouseQueues

/// Clocks that the test sets, so that no test waits for real time.
///
/// An alarm rings on the thread that moves the clocks past it, before that call returns. Usable from any thread.
/// `waitForSleepers` waits until the code under test has set its alarm.
public final class ManualClocks: Clocks {
  private struct Sleeper {
    let alarm: Alarm
    let ring: @Sendable () -> Void
  }
  private struct Watcher {
    let isSatisfied: @Sendable (_ alarms: [Alarm], _ now: ClockReading) -> Bool
    let wake: CheckedContinuation<Void, Never>
  }
  private struct State {
    var reading: ClockReading
    var restarts = 0
    var nextID: UInt64 = 0
    var sleepers: [UInt64: Sleeper] = [:]
    var watchers: [UInt64: Watcher] = [:]

    mutating func takeID() -> UInt64 {
      defer { nextID += 1 }
      return nextID
    }

    /// Removes and returns the alarms that the clocks have reached, oldest first. They ring outside the lock.
    mutating func takeReached() -> [@Sendable () -> Void] {
      let reached = sleepers.filter { $0.value.alarm.isReached(at: reading) }
      for id in reached.keys { sleepers[id] = nil }
      return reached.sorted { $0.key < $1.key }.map(\.value.ring)
    }

    mutating func takeSatisfiedWatchers() -> [CheckedContinuation<Void, Never>] {
      let alarms = sleepers.values.map(\.alarm)
      let satisfied = watchers.filter { $0.value.isSatisfied(alarms, reading) }
      for id in satisfied.keys { watchers[id] = nil }
      return satisfied.map(\.value.wake)
    }
  }

  private let state: Lock<State>

  /// Makes clocks that show a moment, by default one in January 2027, and a time since the machine started.
  public convenience init(
    wall: Date = Date(timeIntervalSince1970: 1_800_000_000), boot: Duration = .seconds(1_000)
  ) {
    self.init(wall: wall.wall, boot: boot.inSeconds)
  }

  package init(wall: Double, boot: Double = 1_000) {
    state = Lock(State(reading: ClockReading(wall: wall, boot: boot, bootID: "manual-0")))
  }

  /// Returns the current reading of the clocks.
  public func now() -> ClockReading { state.withLock { $0.reading } }

  /// The number of alarms that are set and have not rung.
  public var sleepers: Int { state.withLock { $0.sleepers.count } }

  /// Sets an alarm. An alarm that is already reached rings on the calling thread, before this returns.
  public func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
    let id = state.withLock { $0.takeID() }
    let ready: [CheckedContinuation<Void, Never>]? = state.withLock { state in
      guard !alarm.isReached(at: state.reading) else { return nil }
      state.sleepers[id] = Sleeper(alarm: alarm, ring: body)
      return state.takeSatisfiedWatchers()
    }
    guard let ready else {
      body()
      return AlarmCancellation {}
    }
    for watcher in ready { watcher.resume() }
    return AlarmCancellation { [weak self] in
      let sleeper = self?.state.withLock { $0.sleepers.removeValue(forKey: id) }
      withExtendedLifetime(sleeper) {}  // its closure is released outside the lock
    }
  }

  /// Waits until at least this many alarms are set; returns early if the task is cancelled.
  public func waitForSleepers(_ count: Int) async { await wait { alarms, _ in alarms.count >= count } }

  /// Waits until an alarm is set that rings after exactly this span on the boot clock; returns early if the task is
  /// cancelled. Unlike a count, this is not met by a cancelled alarm that has not been removed yet, unless that one was
  /// set for the same moment: advance the clocks a little before a call that takes as long as an earlier one.
  public func waitForSleeper(of span: Duration) async { await waitForSleeper(of: span.inSeconds) }

  package func waitForSleeper(of seconds: Double) async { await waitForSleepers(1, of: seconds) }

  /// Waits until this many alarms are set that ring after exactly this span: a call has its own deadline, and its
  /// request has one, too.
  package func waitForSleepers(_ count: Int, of seconds: Double) async {
    await wait { alarms, now in alarms.count { abs($0.boot - now.boot - seconds) < 1e-6 } >= count }
  }

  /// Waits until an alarm is set that rings within this span on the boot clock; returns early if the task is cancelled.
  /// Unlike a count, this is not met by a later alarm that was cancelled and has not been removed yet.
  public func waitForSleeper(within span: Duration) async { await waitForSleeper(within: span.inSeconds) }

  package func waitForSleeper(within seconds: Double) async {
    await wait { alarms, now in alarms.contains { $0.boot - now.boot <= seconds } }
  }

  private func wait(until isSatisfied: @escaping @Sendable (_ alarms: [Alarm], _ now: ClockReading) -> Bool) async {
    let id = state.withLock { $0.takeID() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let isReady = state.withLock { state in
          let alarms = state.sleepers.values.map(\.alarm)
          guard !Task.isCancelled, !isSatisfied(alarms, state.reading) else { return true }
          state.watchers[id] = Watcher(isSatisfied: isSatisfied, wake: continuation)
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.watchers.removeValue(forKey: id) }?.wake.resume()
    }
  }

  // MARK: Changing the time

  /// Advances both clocks in one jump, including suspend time. Alarms that are reached ring on the calling thread,
  /// before this returns.
  public func advance(by span: Duration) { advance(by: span.inSeconds) }

  package func advance(by seconds: Double) { change { $0.reading = $0.reading.advanced(by: seconds) } }

  /// Sets only the wall clock.
  public func setWall(_ moment: Date) { setWall(moment.wall) }

  package func setWall(_ seconds: Double) { change { $0.reading.wall = seconds } }

  /// Sets only the boot clock, which shows the time since the machine started.
  public func setBoot(_ span: Duration) { setBoot(span.inSeconds) }

  package func setBoot(_ seconds: Double) { change { $0.reading.boot = seconds } }

  /// Restarts the machine: the boot clock begins at 0 with a new boot ID, and the wall clock is unchanged.
  public func restart() {
    change { state in
      state.restarts += 1
      state.reading.boot = 0
      state.reading.bootID = "manual-\(state.restarts)"
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let reached = state.withLock { state in
      body(&state)
      return state.takeReached()
    }
    for ring in reached { ring() }
  }
}
