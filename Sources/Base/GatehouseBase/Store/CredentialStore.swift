/// Keeps one session between runs of a program.
///
/// Gatehouse calls a store on a background thread, one call at a time for each `Auth`; another `Auth` or another
/// process may use the same storage, so `write` must compare and replace in one atomic step. A store may call
/// Gatehouse. `GatehouseTesting` has a suite that holds an implementation to this contract.
public protocol CredentialStore: Sendable {
  /// Reads the stored session; `nil` only when it is certain that there is none. A session that cannot be read is an
  /// error.
  func load() async throws(AuthError) -> StoredSession?

  /// Stores a session, or with `nil` erases it, if `condition` holds of what is stored now.
  ///
  /// When it returns `.written` the change is durable. When it throws, what was stored before is still stored.
  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome

  /// Locks the storage for one `Auth` until the lock is released. Returns `nil`, the default, when this store has no
  /// such lock.
  ///
  /// Asked for by an `Auth` whose provider rotates refresh tokens: two that share a rotating token lose the session.
  /// - Throws: `.storeInUse` when another `Auth` has it, in this process or another. Does not wait.
  func lock() async throws(AuthError) -> (any StoreLock)?

  /// Tells of changes from now on, until the watch ends. Returns `nil`, the default, when this store cannot be watched.
  ///
  /// - Parameter changed: called when what is stored may have changed, by this program or another; once too often is no
  ///   harm. Quick, from any thread.
  func watch(_ changed: @escaping @Sendable () -> Void) async throws(AuthError) -> (any StoreWatch)?

  /// The other users whose sessions this store keeps; `nil`, the default, when it keeps one session only.
  ///
  /// Read on the thread that makes an `Auth`, and then on a background thread for each call.
  var shelf: (any UserShelf)? { get }
}

extension CredentialStore {
  /// `nil`: this store keeps one session only.
  public var shelf: (any UserShelf)? { nil }

  /// `nil`: this store has no lock.
  public func lock() async throws(AuthError) -> (any StoreLock)? { nil }

  /// `nil`: this store cannot be watched.
  public func watch(_ changed: @escaping @Sendable () -> Void) async throws(AuthError) -> (any StoreWatch)? { nil }
}

/// The part of a store that keeps the sessions of other users, so that a program can switch between them.
///
/// `load` and `write` of the store are about the current session, as in every store, with three differences. A write
/// under `.always` sets the session that it replaces aside, if that is another user's, instead of dropping it. A
/// session that is written is not among those set aside any more. And `write(nil, if: .session(id))` erases that
/// session wherever it is.
///
/// Each call is one atomic step, and durable when it returns. Two sessions are of one user if the identifiers and the
/// tenants are the same, compared as bytes. `SessionShelf` does all of this on values.
public protocol UserShelf: Sendable {
  /// The sessions that are set aside, the latest first: one for each user, and none of the current one's.
  func others() async throws(AuthError) -> [StoredSession]

  /// Makes a session of those set aside the current one, and sets the current one aside.
  ///
  /// - Parameter session: names the session; `nil` leaves no current one.
  /// - Returns: a conflict, with the current session, when no such session is set aside.
  func exchange(for session: String?) async throws(AuthError) -> StoreOutcome
}

/// A watch of a store, from `CredentialStore.watch(_:)`.
public protocol StoreWatch: Sendable {
  /// Ends it; a second call does nothing. Called on a background thread.
  func end()
}

/// The lock with which one `Auth` has a storage to itself. It ends with the process at the latest.
public protocol StoreLock: Sendable {
  /// Releases the lock; a second call does nothing. Called on a background thread, and may block it.
  func release()
}

/// The condition under which a write happens: what must be stored at that moment.
public enum StoreCondition: Sendable, Hashable {
  /// Anything or nothing: a new sign-in replaces it.
  case always
  /// This session, of any generation: for ending it.
  case session(String)
  /// This session, of an earlier generation than this: for changing it.
  case sessionBefore(String, generation: UInt64)

  /// Whether the condition holds of what is stored.
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
  /// The condition did not hold; nothing changed, and this is what is stored.
  case conflict(StoredSession?)
}
