import GatehouseBase
import GatehouseQueues

/// The store, in order: one call at a time, each off the work queue.
///
/// A call keeps its turn however long it takes, because a late write must never follow a later one; those who wait
/// have their own timeouts.
@WorkQueue
final class SessionStore {
  private let queue = SerialTaskQueue(label: "gatehouse.store")
  private let surroundings: TakeOnce<Surroundings>
  /// The failure of the last write, until a later one succeeds.
  private(set) var failure: AuthError?

  nonisolated init(_ surroundings: TakeOnce<Surroundings>) { self.surroundings = surroundings }

  func load() -> Promise<StoredSession?> {
    enqueue("load") { (store) throws(AuthError) in try await store.load() }
  }

  func write(_ session: StoredSession?, if condition: StoreCondition) -> Promise<StoreOutcome> {
    enqueue("write") { (store) throws(AuthError) in
      try await store.write(session, if: condition)
    } then: {
      self.failure = $0
    }
  }

  /// Comes when every call that was made before has ended.
  func drained() -> Promise<Void> { enqueue("drain") { _ in } }

  private func enqueue<Value: Sendable>(
    _ name: StaticString, _ call: @escaping @Sendable (any CredentialStore) async throws(AuthError) -> Value,
    then note: @escaping @WorkQueue @Sendable (AuthError?) -> Void = { _ in }
  ) -> Promise<Value> {
    guard let surroundings = surroundings.current else {
      let promise = Promise<Value>()
      promise.resolve(.failure(.closed))
      return promise
    }
    return queue.enqueue(name, timeout: nil, clocks: surroundings.clocks) { () throws(AuthError) in
      do throws(AuthError) {
        let value = try await Background.run { () throws(AuthError) in try await call(surroundings.store) }
        note(nil)
        return value
      } catch {
        note(error)
        throw error
      }
    }
  }
}
