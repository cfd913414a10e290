public import GatehouseBase

/// Clocks that show what the test says. Nobody waits for real time.
///
/// A sleeper wakes when a change of the clocks reaches its alarm, or when its task is cancelled. Usable from any
/// thread; `waitForSleepers` tells a test that the code under test has gone to sleep.
public final class ManualClocks: Clocks {
  private struct Sleeper {
    let alarm: Alarm
    let wake: CheckedContinuation<Void, Never>
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

    /// Takes out who is to be woken now. They are woken outside the lock.
    mutating func takeWoken() -> [CheckedContinuation<Void, Never>] {
      let woken = sleepers.filter { $0.value.alarm.isReached(at: reading) }
      for id in woken.keys { sleepers[id] = nil }
      return woken.sorted { $0.key < $1.key }.map(\.value.wake)
    }

    mutating func takeSatisfiedWatchers() -> [CheckedContinuation<Void, Never>] {
      let alarms = sleepers.values.map(\.alarm)
      let satisfied = watchers.filter { $0.value.isSatisfied(alarms, reading) }
      for id in satisfied.keys { watchers[id] = nil }
      return satisfied.map(\.value.wake)
    }
  }

  private let state: Lock<State>

  /// Both in seconds; the wall clock begins in January 2027.
  public init(wall: Double = 1_800_000_000, boot: Double = 1_000) {
    state = Lock(State(reading: ClockReading(wall: wall, boot: boot, bootID: "manual-0")))
  }

  public func now() -> ClockReading { state.withLock { $0.reading } }

  /// How many are asleep.
  public var sleepers: Int { state.withLock { $0.sleepers.count } }

  public func sleep(until alarm: Alarm) async {
    let id = state.withLock { $0.takeID() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let ready = state.withLock { state in
          // A cancellation that came before this is seen here; one that comes after finds the sleeper.
          guard !Task.isCancelled, !alarm.isReached(at: state.reading) else { return [continuation] }
          state.sleepers[id] = Sleeper(alarm: alarm, wake: continuation)
          return state.takeSatisfiedWatchers()
        }
        for waiter in ready { waiter.resume() }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: id) }?.wake.resume()
    }
  }

  /// Returns when at least this many are asleep, and early when the task is cancelled.
  public func waitForSleepers(_ count: Int) async { await wait { alarms, _ in alarms.count >= count } }

  /// Returns when somebody sleeps who wakes in this many seconds of the boot clock, and early when the task is cancelled.
  ///
  /// Unlike a count, this is not met by a sleeper who was cancelled and has not gone yet.
  public func waitForSleeper(of seconds: Double) async {
    await wait { alarms, now in alarms.contains { abs($0.boot - now.boot - seconds) < 1e-6 } }
  }

  /// Returns when somebody sleeps who wakes within this many seconds of the boot clock, and early when the task is cancelled.
  ///
  /// Unlike a count, this is not met by a sleeper for a longer time who was cancelled and has not gone yet.
  public func waitForSleeper(within seconds: Double) async {
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

  /// Time passes on both clocks, in one jump: some seconds, suspend included.
  public func advance(by seconds: Double) { change { $0.reading = $0.reading.advanced(by: seconds) } }

  /// Somebody sets the wall clock, in seconds since 1970.
  public func setWall(_ seconds: Double) { change { $0.reading.wall = seconds } }

  /// Moves the boot clock alone, to seconds since the machine started.
  public func setBoot(_ seconds: Double) { change { $0.reading.boot = seconds } }

  /// The machine starts again: the boot clock begins at 0 under a new boot ID, and the wall clock stays.
  public func restart() {
    change { state in
      state.restarts += 1
      state.reading.boot = 0
      state.reading.bootID = "manual-\(state.restarts)"
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let woken = state.withLock { state in
      body(&state)
      return state.takeWoken()
    }
    for sleeper in woken { sleeper.resume() }
  }
}
