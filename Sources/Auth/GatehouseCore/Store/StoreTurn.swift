import GatehouseBase
import GatehouseQueues

/// Access to the store, for the duration of a turn.
@WorkQueue
struct StoreTurn {
  private let store: SessionStore

  init(of store: SessionStore) { self.store = store }

  /// Returns the current session.
  func load() async throws(AuthError) -> StoredSession? { try await store.load().current }

  /// Returns the sessions of all users.
  func sessions() async throws(AuthError) -> SessionShelf {
    guard store.keepsUsers else { throw .keepsNoUsers }
    return try await store.load()
  }

  /// Replaces the current session, or with `nil` erases it, if the condition holds for it.
  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    try await store.change(isQuick: true) { $0.write(session, if: condition) }
  }

  /// Changes the sessions of all users.
  func change(_ body: @WorkQueue (inout SessionShelf) throws(AuthError) -> Void) async throws(AuthError) {
    guard store.keepsUsers else { throw .keepsNoUsers }
    try await store.change(body)
  }

  /// Makes a new session the current one, and sets the session of another user aside if the store keeps users.
  ///
  /// - Parameter accept: receives the session as it is stored.
  func signIn(
    _ new: StoredSession, _ accept: @WorkQueue (StoredSession) throws(AuthError) -> Void
  ) async throws(AuthError) {
    let change = { @WorkQueue (shelf: inout SessionShelf) throws(AuthError) in
      shelf.signIn(new, keepsUsers: store.keepsUsers)
      return shelf.current ?? new
    }
    try await store.replace(replacesDamaged: true, change, accept)
  }

  /// Makes another stored session the current one.
  ///
  /// - Parameter choose: returns the session; called again if another process changes the store meanwhile.
  func switchUser(
    _ choose: @WorkQueue (SessionShelf) throws(AuthError) -> StoredSession,
    _ accept: @WorkQueue (StoredSession) throws(AuthError) -> Void
  ) async throws(AuthError) {
    guard store.keepsUsers else { throw .keepsNoUsers }
    let change = { @WorkQueue (shelf: inout SessionShelf) throws(AuthError) in
      let next = try choose(shelf)
      _ = shelf.switchTo(next.session)
      return next
    }
    try await store.replace(replacesDamaged: false, change, accept)
  }

  /// Whether this `Auth` holds the store's lock.
  var isLocked: Bool { store.isLocked }

  /// Records that the session was merged with the stored one under the lock.
  func noteMeeting() { store.isSure = true }

  /// Takes the store's lock, if it has one, for the duration of the lease; throws `.storeInUse` if another `Auth` holds
  /// it.
  func takeLock() async throws(AuthError) { try await store.takeLock() }

  /// Ensures that the store can be called and holds the right sessions.
  func prepare() async throws(AuthError) { try await store.settle() }
}
