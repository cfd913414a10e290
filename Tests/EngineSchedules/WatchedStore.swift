import Gatehouse
import GatehouseQueues
import GatehouseTesting

/// A store whose calls take as long as the schedule has it, and that must never be asked for two things at once.
final class WatchedStore: CredentialStore {
  private let memory: Lock<StoredSession?>
  private let underWay = Lock(0)
  private let context: ScheduleContext

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

  private func alone<Value: Sendable>(_ body: () -> Value) async -> Value {
    let count = underWay.withLock { count in
      count += 1
      return count
    }
    context.check(count == 1, "the store was asked for \(count) things at once")
    await context.yield()
    defer { underWay.withLock { $0 -= 1 } }
    return body()
  }
}
