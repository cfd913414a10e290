import Gatehouse
import GatehouseQueues

/// What a listener heard, in order.
final class Heard: Sendable {
  private struct State {
    var uids: [String?] = []
    var waiters: [(Int, CheckedContinuation<Void, Never>)] = []
  }

  private let state = Lock(State())

  func note(_ user: User?) {
    let ready = state.withLock { state in
      state.uids.append(user?.uid)
      let ready = state.waiters.filter { $0.0 <= state.uids.count }.map(\.1)
      state.waiters.removeAll { $0.0 <= state.uids.count }
      return ready
    }
    for waiter in ready { waiter.resume() }
  }

  var uids: [String?] { state.withLock { $0.uids } }

  /// Returns when `count` calls have come.
  func wait(for count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.uids.count < count { state.waiters.append((count, continuation)) }
        return state.uids.count >= count
      }
      if isThere { continuation.resume() }
    }
  }
}
