import GatehouseBase
import GatehouseQueues

/// The store, in order: one call at a time, each off the work queue.
///
/// A call keeps its turn however long it takes, because a late write must never follow a later one; those who wait
/// have their own timeouts. A call may outlive its `Auth`, so it holds the box of what the app handed in, and empties
/// nothing on the work queue.
@WorkQueue
final class SessionStore {
  private let queue = SerialTaskQueue(label: "gatehouse.store")
  private let surroundings: TakeOnce<Surroundings>
  /// One thread: the store is asked for one thing at a time.
  private let threads = PoolShare(width: 1)
  /// The failure of the last write, until a later one succeeds.
  private(set) var failure: AuthError?

  nonisolated init(_ surroundings: TakeOnce<Surroundings>) { self.surroundings = surroundings }

  func load() -> Promise<StoredSession?> {
    enqueue("load") { (call) throws(AuthError) in
      try await call { (store) throws(AuthError) in try Self.checked(try await store.load()) }
    }
  }

  func write(_ session: StoredSession?, if condition: StoreCondition) -> Promise<StoreOutcome> {
    write({ session }, if: condition)
  }

  /// - Parameter session: asked for when the write has its turn.
  func write(
    _ session: @escaping @WorkQueue @Sendable () -> StoredSession?, if condition: StoreCondition
  ) -> Promise<StoreOutcome> {
    enqueue("write") { (call) throws(AuthError) in
      let session = session()
      do throws(AuthError) {
        let outcome = try await call { (store) throws(AuthError) in
          let outcome = try await store.write(session, if: condition)
          if case .conflict(let stored) = outcome { _ = try Self.checked(stored) }
          return outcome
        }
        self.failure = nil
        return outcome
      } catch {
        self.failure = error
        throw error
      }
    }
  }

  /// Comes when every call that was made before has ended.
  func drained() -> Promise<Void> { enqueue("drain") { _ in } }

  private struct Caller: Sendable {
    let surroundings: TakeOnce<Surroundings>
    let threads: PoolShare

    func callAsFunction<Value: Sendable>(
      _ body: @escaping @Sendable (any CredentialStore) async throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
      try await Background.run(on: threads) { [surroundings] () throws(AuthError) in
        guard let store = surroundings.current?.store else { throw .closed }
        return try await body(store)
      }
    }
  }

  private func enqueue<Value: Sendable>(
    _ name: StaticString, _ call: @escaping @WorkQueue @Sendable (Caller) async throws(AuthError) -> Value
  ) -> Promise<Value> {
    let caller = Caller(surroundings: surroundings, threads: threads)
    return queue.enqueue(name, deadline: nil) { () throws(AuthError) in try await call(caller) }
  }

  /// A generation so high that it could not rise was not written by us.
  private nonisolated static func checked(_ stored: StoredSession?) throws(AuthError) -> StoredSession? {
    guard let stored, stored.generation > UInt64(Int64.max) else { return stored }
    throw AuthError(.storeDamaged, "the stored session counts \(stored.generation) changes; sign in again")
  }
}
