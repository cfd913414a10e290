import Gatehouse
import GatehouseQueues
import GatehouseTesting

/// A store whose calls take as long as the schedule has it, and that must never be asked for two things at once.
final class WatchedStore: CredentialStore {
  private let memory: Lock<StoredSession?>
  private let underWay = Lock(0)
  private let context: ScheduleContext
  /// While it is true, calls wait, cancelled or not.
  private let isHeld = Lock(false)
  private let held = Lock<[CheckedContinuation<Void, Never>]>([])

  init(_ context: ScheduleContext, _ session: StoredSession?) {
    self.context = context
    memory = Lock(session)
  }

  var content: StoredSession? { memory.withLock { $0 } }

  func load() async throws(AuthError) -> StoredSession? { await alone { content } }

  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    await alone {
      memory.withLock { stored in
        guard condition.holds(of: stored) else { return .conflict(stored) }
        stored = session
        return .written
      }
    }
  }

  /// Keeps calls waiting until `release`.
  func hold() { isHeld.withLock { $0 = true } }

  /// Lets the calls that wait go on, and later ones pass.
  func release() {
    isHeld.withLock { $0 = false }
    let released = held.withLock { held in
      defer { held = [] }
      return held
    }
    for call in released { call.resume() }
  }

  private func alone<Value: Sendable>(_ body: () -> Value) async -> Value {
    let count = underWay.withLock { count in
      count += 1
      return count
    }
    context.check(count == 1, "the store was asked for \(count) things at once")
    await context.yield()
    if isHeld.withLock({ $0 }) {
      await withCheckedContinuation { continuation in held.withLock { $0.append(continuation) } }
    }
    defer { underWay.withLock { $0 -= 1 } }
    return body()
  }
}
