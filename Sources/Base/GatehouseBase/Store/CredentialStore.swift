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

  /// The shelf with the sessions of all users; `nil`, the default, if this store keeps only one session. A store with a
  /// shelf is called through it; only damaged contents are replaced by `write`.
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

/// The part of a store that keeps the sessions of several users, so that a program can switch between them.
///
/// Both calls concern everything that is stored, and each is one atomic step. A store that conforms to both protocols
/// needs nothing else: it is its own shelf, and its `load` and `write` are derived from these calls.
///
///     final class MyStore: CredentialStore, UserShelf {
///       private let stored = Mutex(SessionShelf())
///
///       func sessions() async throws(AuthError) -> SessionShelf { stored.withLock { $0 } }
///
///       func replace(_ known: SessionShelf, by new: SessionShelf) async throws(AuthError) -> Bool {
///         stored.withLock { stored in
///           guard stored == known else { return false }
///           stored = new
///           return true
///         }
///       }
///     }
public protocol UserShelf: Sendable {
  /// Reads all sessions. Throws if they cannot be read; an empty shelf means that there are certainly none.
  func sessions() async throws(AuthError) -> SessionShelf

  /// Stores `new` in place of `known`, if the storage holds exactly `known`.
  ///
  /// - Returns: `true` when the change is durable; `false` if the storage holds anything else, and nothing changed.
  /// - Throws: The store's error. The previous sessions are still stored then.
  func replace(_ known: SessionShelf, by new: SessionShelf) async throws(AuthError) -> Bool
}

extension CredentialStore where Self: UserShelf {
  /// This store.
  public var shelf: (any UserShelf)? { self }

  /// Returns the current session.
  public func load() async throws(AuthError) -> StoredSession? { try await sessions().current }

  /// Replaces the current session, if the condition holds for it. The other sessions stay.
  public func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    while true {
      let known = try await sessions()
      var new = known
      let outcome = new.write(session, if: condition)
      if outcome != .written || new == known { return outcome }
      if try await replace(known, by: new) { return .written }
    }
  }
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
  /// Any session or none, readable or damaged.
  case always
  /// No session: for a first sign-in.
  case empty
  /// This session in any generation: for ending it.
  case session(String)
  /// This session in an earlier generation than the given one: for changing it.
  case sessionBefore(String, generation: UInt64)

  /// Whether the condition holds for the stored session.
  public func holds(of stored: StoredSession?) -> Bool {
    switch self {
    case .always: true
    case .empty: stored == nil
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
