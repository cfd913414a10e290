/// Storage that keeps one session between runs of a program.
///
/// Gatehouse calls a store on a background thread, one call at a time for each `Auth`; another `Auth` or another
/// process may use the same storage, so `write` must compare and replace in one atomic step. A store may call
/// Gatehouse. `GatehouseTesting` has a test suite that checks an implementation against this contract.
public protocol CredentialStore: Sendable {
  /// Reads the stored session. Returns `nil` only when it is certain that there is none; throws if a session cannot be
  /// read.
  func load() async throws(AuthError) -> StoredSession?

  /// Stores a session, or with `nil` erases it, if `condition` holds for the currently stored session.
  ///
  /// When this returns `.written`, the change is durable. When it throws, the previous session is still stored.
  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome

  /// Locks the storage for one `Auth` until the lock is released. Returns `nil`, the default, if this store has no such
  /// lock. The lock does not restrict reading or writing by others.
  ///
  /// Called at each refresh, and before a user is set aside: one `Auth` at a time refreshes a stored session, and the
  /// others wait for its tokens. A provider that rotates refresh tokens ends a session whose token is sent twice, so
  /// its `Auth`s reject a store without a lock.
  /// - Throws: `.storeInUse` when another `Auth` holds the lock, in this process or another. Does not wait.
  func lock() async throws(AuthError) -> (any StoreLock)?

  /// Reports changes from now on, until the watch ends. Returns `nil`, the default, if this store cannot be watched.
  ///
  /// - Parameter changed: called when the stored session may have changed, through this program or another; spurious
  ///   calls are harmless. Quick, and called from any thread.
  func watch(_ changed: @escaping @Sendable () -> Void) async throws(AuthError) -> (any StoreWatch)?

  /// The shelf with the sessions of other users; `nil`, the default, if this store keeps only one session.
  ///
  /// Read on the thread that creates an `Auth`, and later on a background thread for each call.
  var shelf: (any UserShelf)? { get }
}

extension CredentialStore {
  /// `nil`: this store keeps only one session.
  public var shelf: (any UserShelf)? { nil }

  /// `nil`: this store has no lock.
  public func lock() async throws(AuthError) -> (any StoreLock)? { nil }

  /// `nil`: this store cannot be watched.
  public func watch(_ changed: @escaping @Sendable () -> Void) async throws(AuthError) -> (any StoreWatch)? { nil }
}

/// The part of a store that keeps the sessions of other users, so that a program can switch between them.
///
/// `load` and `write` of the store concern the current session, as in every store, with three differences. A write
/// under `.always` sets the replaced session aside instead of dropping it, if it belongs to another user. A session
/// that is written is no longer among those set aside. And `write(nil, if: .session(id))` erases that session whether
/// it is current or set aside.
///
/// Each call is one atomic step, and durable when it returns. Two sessions belong to one user if their user identifiers
/// and tenants are equal, compared as bytes. `SessionShelf` implements all of this on values.
public protocol UserShelf: Sendable {
  /// The sessions that are set aside, most recent first: one for each user, and none of the current user's.
  func others() async throws(AuthError) -> [StoredSession]

  /// Makes a session that is set aside the current one, and sets the current one aside.
  ///
  /// - Parameter session: the session's identifier; `nil` leaves no current session.
  /// - Returns: a conflict with the current session, if no such session is set aside.
  func exchange(for session: String?) async throws(AuthError) -> StoreOutcome
}

/// A watch on a store, returned by `CredentialStore.watch(_:)`.
public protocol StoreWatch: Sendable {
  /// Ends the watch; further calls do nothing. Called on a background thread.
  func end()
}

/// The lock under which one `Auth` at a time refreshes a stored session. Released at the latest when the process ends.
public protocol StoreLock: Sendable {
  /// Releases the lock; further calls do nothing. Called on a background thread, and may block it.
  func release()
}

/// The condition of a write on the currently stored session.
public enum StoreCondition: Sendable, Hashable {
  /// Any session or none: a new sign-in replaces it.
  case always
  /// This session in any generation: for ending it.
  case session(String)
  /// This session in an earlier generation than the given one: for changing it.
  case sessionBefore(String, generation: UInt64)

  /// Whether the condition holds for the stored session.
  public func holds(of stored: StoredSession?) -> Bool {
    switch self {
    case .always: true
    case .session(let id): stored.map { $0.session.isExactly(id) } ?? false
    case .sessionBefore(let id, let generation):
      stored.map { $0.session.isExactly(id) && $0.generation < generation } ?? false
    }
  }
}

/// The outcome of a conditional write.
public enum StoreOutcome: Sendable, Hashable {
  /// The change is durable.
  case written
  /// The condition did not hold and nothing changed; contains the stored session.
  case conflict(StoredSession?)
}
