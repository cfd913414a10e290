package import GatehouseBase
import GatehouseQueues

/// Clocks that only the tour moves, so that no promise depends on how busy the machine is. Usable from any thread.
///
/// An alarm rings on the thread that moves the clocks past it, before `advance(by:)` returns.
package final class StageClocks: Clocks {
  private struct State {
    var reading: ClockReading
    var nextID: UInt64 = 0
    var alarms: [UInt64: (alarm: Alarm, ring: @Sendable () -> Void)] = [:]

    /// Removes and returns the alarms that the clocks have reached, oldest first.
    mutating func takeReached() -> [@Sendable () -> Void] {
      let reached = alarms.filter { $0.value.alarm.isReached(at: reading) }.sorted { $0.key < $1.key }
      for (id, _) in reached { alarms[id] = nil }
      return reached.map(\.value.ring)
    }
  }

  private let state: Lock<State>

  /// Makes clocks that show a moment, by default one in January 2027, and a time since the machine started.
  package init(wall: Double = 1_800_000_000, boot: Double = 1_000) {
    state = Lock(State(reading: ClockReading(wall: wall, boot: boot, bootID: "stage")))
  }

  package func now() -> ClockReading { state.withLock { $0.reading } }

  package func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
    let id: UInt64? = state.withLock { state in
      guard !alarm.isReached(at: state.reading) else { return nil }
      state.nextID += 1
      state.alarms[state.nextID] = (alarm, body)
      return state.nextID
    }
    guard let id else {
      body()
      return AlarmCancellation {}
    }
    return AlarmCancellation { [weak self] in
      let removed = self?.state.withLock { $0.alarms.removeValue(forKey: id) }
      withExtendedLifetime(removed) {}  // its closure is released outside the lock
    }
  }

  /// Moves both clocks forward by this number of seconds.
  package func advance(by seconds: Double) {
    let reached = state.withLock { state in
      state.reading = state.reading.advanced(by: seconds)
      return state.takeReached()
    }
    for ring in reached { ring() }
  }
}
