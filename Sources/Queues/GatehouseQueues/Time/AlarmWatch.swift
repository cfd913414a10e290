import Dispatch
import GatehouseBase

/// Rings alarms that the app's clocks have not taken by their moment, because the clocks never return.
///
/// An alarm is in here from its beginning until its clocks have taken it, which is nearly always at once. A timer of
/// Dispatch for each alarm stayed until the alarm's moment, also when its call had ended: an agent that makes a hundred
/// fetches a second had tens of thousands of them.
package final class AlarmWatch: Sendable {
  private struct Entry: Sendable {
    /// The moment, in monotonic nanoseconds.
    let moment: Int64
    let ring: @Sendable () -> Void
  }

  private struct State: Sendable {
    var entries: [Int: Entry] = [:]
    /// The moments of the timers that have not fired.
    var timers: [Int64] = []
    var latest = 0

    /// Returns a moment for which a new timer is needed, and counts that timer.
    mutating func momentToSet() -> Int64? {
      guard let first = entries.values.lazy.map(\.moment).min(), !timers.contains(where: { $0 <= first }) else {
        return nil
      }
      timers.append(first)
      return first
    }
  }

  /// A serial queue, which gets a thread even when the app blocks all threads of the global queues.
  private let queue = DispatchQueue(label: "gatehouse.clocks.watch")
  private let state = Lock(State())
  static let shared = AlarmWatch()

  package init() {}

  /// The number of alarms in here, and of timers.
  package var counts: (alarms: Int, timers: Int) { state.withLock { ($0.entries.count, $0.timers.count) } }

  /// Calls `ring` after a time, a year at most, unless the alarm is removed before.
  ///
  /// - Returns: the number by which the alarm is removed.
  package func add(after seconds: Double, _ ring: @escaping @Sendable () -> Void) -> Int {
    // Dispatch counts nanoseconds in 64 bits.
    let moment = SystemTime.monotonic + Int64(min(max(seconds, 0), 3.15e7) * 1e9)
    let (number, timer) = state.withLock { state in
      state.latest += 1
      state.entries[state.latest] = Entry(moment: moment, ring: ring)
      // The others have theirs.
      let needsTimer = !state.timers.contains { $0 <= moment }
      if needsTimer { state.timers.append(moment) }
      return (state.latest, needsTimer ? moment : nil)
    }
    if let timer { set(timer) }
    return number
  }

  package func remove(_ number: Int) { _ = state.withLock { $0.entries.removeValue(forKey: number) } }

  private func set(_ moment: Int64) {
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(max(moment - SystemTime.monotonic, 0)))) { [self] in
      let (due, next) = state.withLock { state in
        if let index = state.timers.firstIndex(of: moment) { state.timers.remove(at: index) }
        let now = SystemTime.monotonic
        let due = state.entries.filter { $0.value.moment <= now }
        for number in due.keys { state.entries[number] = nil }
        return (due.values.sorted { $0.moment < $1.moment }, state.momentToSet())
      }
      for entry in due { entry.ring() }
      if let next { set(next) }
    }
  }
}
