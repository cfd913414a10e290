import GatehouseQueues

/// Runs steps when the test asks for it, on a clock that the test controls.
///
/// It affects the whole process, so its tests are exit tests. Called on one thread.
final class HandTurnedSteps: StepScheduler {
  private struct State: Sendable {
    var now = 0.0
    var ready: [@Sendable () -> Void] = []
    var timers: [(moment: Double, step: @Sendable () -> Void)] = []
    var mostTimers = 0
    var serialTimers = 0
  }

  private let state = Lock(State())

  /// Creates the scheduler and installs it for the rest of the process.
  init() { Schedule.install(self) }

  /// Seconds since the test began.
  var now: Double { state.withLock { $0.now } }
  /// The number of steps that can run now.
  var ready: Int { state.withLock { $0.ready.count } }
  /// The number of steps that are scheduled for a later time.
  var timers: Int { state.withLock { $0.timers.count } }
  /// The maximum number of timers at one time.
  var mostTimers: Int { state.withLock { $0.mostTimers } }
  /// The number of timers on a serial queue.
  var serialTimers: Int { state.withLock { $0.serialTimers } }

  /// Runs the oldest step that can run now.
  func runNext() {
    let step = state.withLock { $0.ready.isEmpty ? nil : $0.ready.removeFirst() }
    step?()
  }

  /// Advances the clock and runs the steps that become due.
  func advance(to moment: Double) {
    while true {
      let step: (@Sendable () -> Void)? = state.withLock { state in
        let due = state.timers.indices.filter { state.timers[$0].moment <= moment }
        guard let next = due.min(by: { state.timers[$0].moment < state.timers[$1].moment }) else { return nil }
        let timer = state.timers.remove(at: next)
        state.now = timer.moment
        return timer.step
      }
      guard let step else { break }
      step()
    }
    state.withLock { $0.now = moment }
  }

  func async(_ name: StaticString, on lane: Lane, after seconds: Double, _ step: @escaping @Sendable () -> Void) {
    state.withLock { state in
      guard seconds > 0 else { return state.ready.append(step) }
      state.timers.append((state.now + seconds, step))
      state.mostTimers = max(state.mostTimers, state.timers.count)
      if case .serial = lane { state.serialTimers += 1 }
    }
  }

  func beginTurn(_ name: StaticString, on lane: Lane) {}
  func endTurn(on lane: Lane) {}
  func suspend(_ lane: Lane) {}
  func resume(_ lane: Lane) {}
  func beginWait(_ description: @escaping @Sendable () -> String) -> Int { 0 }
  func endWait(_ wait: Int) {}
}
