import GatehouseQueues

/// A point where code under test waits until the test lets it pass.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var watchers: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Lock(State())

  /// Waits until the gate is open.
  func pass() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let woken = state.withLock { state in
        guard !state.isOpen else { return [continuation] }
        state.waiting.append(continuation)
        defer { state.watchers = [] }
        return state.watchers
      }
      for waiter in woken { waiter.resume() }
    }
  }

  /// Lets everything pass, now and later.
  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.resume() }
  }

  /// Returns when something waits at the gate.
  func waitUntilReached() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isThere = state.withLock { state in
        if state.waiting.isEmpty { state.watchers.append(continuation) }
        return !state.waiting.isEmpty
      }
      if isThere { continuation.resume() }
    }
  }
}
