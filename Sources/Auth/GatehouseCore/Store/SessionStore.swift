import GatehouseBase
import GatehouseQueues

/// Calls the store in order: one turn at a time, each off the work queue.
///
/// A turn keeps the queue however long it takes, because a late write must never follow a later one; waiting callers
/// have their own timeouts. The result of a turn, including a failure, is handled before the turn ends, so a caller
/// that waits for a later turn finds it done. A turn may outlive its `Auth`, so it holds the box of the app's objects,
/// and releases none of them on the work queue.
///
/// A failed operation is recorded as owed, and `flush` retries it:
///
///     failed                                    owed
///     an erasure                                the erasure
///     a change of the session                   the session as it is then
///     the undoing of a sign-in                  the undoing, before anything else: until then the store holds a
///                                               session that is not to be
@WorkQueue
final class SessionStore {
  let queue = SerialTaskQueue(label: "gatehouse.store")
  private let dependencies: TakeOnce<AppDependencies>
  /// One thread: the store is called for one operation at a time.
  private let threads = PoolShare(width: 1)
  private var unsettled: UnsettledSignIn?
  private var unerased: StoreCondition?
  private var unsaved: UserSession?

  /// Whether the provider rotates refresh tokens. If so, no refresh is made without the store's lock.
  let needsLock: Bool
  /// Whether the store is known to have a lock.
  private var hasLock = false
  private var lock: TakeOnce<any StoreLock>?
  /// Whether this `Auth` has read the store since it took the lock, so that no other has changed the tokens.
  fileprivate(set) var isSure = false
  /// The number of operations that want or have the lock.
  private var leases = 0
  private var watch: TakeOnce<any StoreWatch>?
  /// The erasures that are enqueued.
  private var erasures: [StoreCondition] = []
  private var isReleased = false
  /// The queue on which locks are released, because that may block.
  private nonisolated static let releases = BackgroundQueue(label: "gatehouse.store.locks", width: 1)

  /// A sign-in that is not complete, and whose session the store holds or may hold.
  private struct UnsettledSignIn {
    let session: String
    /// The store's contents before the sign-in.
    let replaced: StoredSession?
  }

  nonisolated init(_ dependencies: TakeOnce<AppDependencies>, needsLock: Bool) {
    self.dependencies = dependencies
    self.needsLock = needsLock
  }

  deinit {
    let (lock, watch) = (lock, watch)
    if lock == nil, watch == nil { return }
    Self.releases.async {
      watch?.take()?.end()
      lock?.take()?.release()
    }
  }

  /// Whether a sign-in may begin without calling the store first.
  var isAdmitted: Bool { !needsLock || hasLock }

  // MARK: Turns

  /// Enqueues an operation. It may call the store any number of times; nothing else calls the store meanwhile.
  func turn<Value: Sendable>(
    _ name: StaticString, _ body: @escaping @WorkQueue @Sendable (StoreTurn) async throws(AuthError) -> Value
  ) -> Promise<Value, AuthError> {
    queue.enqueue(name, deadline: nil) { () throws(AuthError) in try await body(StoreTurn(of: self)) }
  }

  /// Stores the session's changes, as they are when the turn comes.
  ///
  /// - Parameter learn: called within the turn with the store's result. On a conflict it merges the stored version.
  @discardableResult
  func save(
    _ session: UserSession, _ learn: @escaping @WorkQueue @Sendable (Result<StoreOutcome, AuthError>) -> Void
  ) -> Promise<Void, AuthError> {
    turn("save") { (turn) throws(AuthError) in try await self.put(session, in: turn, learn) }
  }

  /// Erases the stored session, if it meets the condition.
  @discardableResult
  func erase(
    if condition: StoreCondition, _ learn: @escaping @WorkQueue @Sendable (Result<StoreOutcome, AuthError>) -> Void
  ) -> Promise<Void, AuthError> {
    erasures.append(condition)
    return turn("erase") { (turn) throws(AuthError) in
      // The erasure's own turn has come; `unerased` records a failure.
      if let index = self.erasures.firstIndex(of: condition) { self.erasures.remove(at: index) }
      try await self.erase(if: condition, in: turn, learn)
    }
  }

  /// Whether a stored session is to be erased, or is left over from an incomplete sign-in. Such a session must not be
  /// mistaken for a user who has signed in elsewhere.
  func isToGo(_ stored: StoredSession) -> Bool {
    unsettled != nil || (erasures + [unerased].compactMap(\.self)).contains { $0.holds(of: stored) }
  }

  /// Watches the store, if it supports that. Nothing depends on the watch, so a store that cannot be watched is used
  /// without it.
  ///
  /// - Parameter changed: called on the work queue.
  func beginWatching(_ changed: @escaping @WorkQueue @Sendable () -> Void) async throws(AuthError) {
    let begun = try await call { (store) throws(AuthError) in
      try await store.watch { WorkQueue.async("store changed", changed) }.map(TakeOnce.init)
    }
    if isReleased { return Self.releases.async { begun?.take()?.end() } }
    watch = begun
  }

  /// Resolves when every earlier turn has ended and nothing is owed any more. Owed operations are retried once; the
  /// first failure is thrown.
  func flush(_ learn: @escaping @WorkQueue @Sendable (StoreOutcome, UserSession) -> Void) -> Promise<Void, AuthError> {
    turn("flush") { (turn) throws(AuthError) in
      if self.unsettled != nil { try await turn.prepare() }
      var failure: AuthError?
      if let condition = self.unerased {
        do throws(AuthError) { try await self.erase(if: condition, in: turn) { _ in } } catch { failure = error }
      }
      if let session = self.unsaved {
        do throws(AuthError) {
          try await self.put(session, in: turn) { result in
            if case .success(let outcome) = result { learn(outcome, session) }
          }
        } catch {
          failure = failure ?? error
        }
      }
      if let failure { throw failure }
    }
  }

  /// Releases the store's lock after all turns so far. No later turn needs the lock.
  func release() -> Promise<Void, AuthError> {
    turn("release") { (_) throws(AuthError) in
      self.isReleased = true
      if let watch = self.watch {
        self.watch = nil
        Self.releases.async { watch.take()?.end() }
      }
      try await self.unlock()
    }
  }

  // MARK: The lock

  /// Begins a lease: from now on a turn may take the store's lock, which is kept until `endLease`.
  func beginLease() { leases += 1 }

  /// Ends a lease. The lock is released after the turns so far, so that the next holder finds what they store.
  func endLease() {
    leases -= 1
    _ = turn("end of a lease") { (_) throws(AuthError) in try await self.unlockIfIdle() }
  }

  fileprivate var isLocked: Bool { lock != nil }

  /// Takes the store's lock, if it has one, for the duration of the lease.
  ///
  /// - Throws: `.storeInUse` if another `Auth` holds it.
  fileprivate func takeLock() async throws(AuthError) {
    guard leases > 0, !isReleased, lock == nil else { return }
    lock = try await call { (store) throws(AuthError) in try await store.lock().map(TakeOnce.init) }
  }

  /// Releases the lock if no lease is active. A rotated refresh token that is not stored yet keeps the lock, because
  /// another `Auth` would find the used token.
  private func unlockIfIdle() async throws(AuthError) {
    guard leases == 0, !needsLock || unsaved == nil else { return }
    try await unlock()
  }

  private func unlock() async throws(AuthError) {
    guard let lock else { return }
    (self.lock, isSure) = (nil, false)
    try await Background.run(on: threads) { () throws(AuthError) in lock.take()?.release() }
  }

  /// The maximum number of conflicts before a write gives up.
  private static let maximumConflicts = 16

  fileprivate func put(
    _ session: UserSession, in turn: StoreTurn,
    _ learn: @WorkQueue (Result<StoreOutcome, AuthError>) -> Void
  ) async throws(AuthError) {
    let result = await outcome { () throws(AuthError) in
      for _ in 0..<Self.maximumConflicts {
        // An ended session is no longer stored, except for one that `close()` ended.
        guard session.ending == nil || session.ending?.code == .closed, let new = session.unsaved else { return }
        session.willStore(new)
        switch try await turn.write(new, if: session.isUnchanged) {
        case .written:
          session.known = new
          return learn(.success(.written))
        case .conflict(let stored):
          learn(.success(.conflict(stored)))
          guard let stored, stored.session.isExactly(session.id) else { return }
        }
      }
      throw AuthError(.storeFailed, "the stored session was changed each time before it could be written; try again")
    }
    switch result {
    case .success:
      guard unsaved === session else { return }
      unsaved = nil
      try await unlockIfIdle()
    case .failure(let error):
      unsaved = session
      learn(.failure(error))
      throw error
    }
  }

  private func erase(
    if condition: StoreCondition, in turn: StoreTurn, _ learn: @WorkQueue (Result<StoreOutcome, AuthError>) -> Void
  ) async throws(AuthError) {
    let result = await outcome { () throws(AuthError) in try await turn.write(nil, if: condition) }
    switch result {
    case .success: if unerased == condition { unerased = nil }
    case .failure: unerased = condition
    }
    learn(result)
    _ = try result.get()
  }

  // MARK: Within a turn

  /// Replaces whatever is stored by a new sign-in.
  ///
  ///     the store                `accept`        then
  ///     has written              returns         the sign-in is done; nothing is owed any more
  ///     has written              throws          the previous contents are restored, at once
  ///     throws                                   the same: it may have written
  ///     cannot be read                           nothing is written, because it could not be restored; but damaged
  ///                                              contents are replaced
  ///
  /// - Parameter accept: called within the turn, when the new session is stored. It decides whether the sign-in stands.
  fileprivate func replace(
    by new: StoredSession, _ accept: @WorkQueue () throws(AuthError) -> Void
  ) async throws(AuthError) {
    var replaced: StoredSession?
    do throws(AuthError) {
      replaced = try await load()
    } catch {
      guard error.code == .storeDamaged else { throw error }
    }
    unsettled = UnsettledSignIn(session: new.session, replaced: replaced)
    do throws(AuthError) {
      _ = try await call { (store) throws(AuthError) in try await store.write(new, if: .always) }
      try accept()
      unsettled = nil
      unerased = nil
      unsaved = nil
    } catch {
      try? await prepare()  // if this fails, the undoing is owed
      throw error
    }
  }

  fileprivate func load() async throws(AuthError) -> StoredSession? {
    try await prepare()
    return try await call { (store) throws(AuthError) in try Self.checked(try await store.load()) }
  }

  fileprivate func write(
    _ session: StoredSession?, if condition: StoreCondition
  ) async throws(AuthError) -> StoreOutcome {
    try await prepare()
    return try await call { (store) throws(AuthError) in
      let outcome = try await store.write(session, if: condition)
      if case .conflict(let stored) = outcome { _ = try Self.checked(stored) }
      return outcome
    }
  }

  /// Returns the sessions of other users, most recent first.
  fileprivate func others() async throws(AuthError) -> [StoredSession] {
    try await prepare()
    return try await call { (store) throws(AuthError) in
      guard let shelf = store.shelf else { throw .keepsNoUsers }
      return try await shelf.others()
    }
  }

  fileprivate func exchange(for session: String?) async throws(AuthError) -> StoreOutcome {
    try await prepare()
    return try await call { (store) throws(AuthError) in
      guard let shelf = store.shelf else { throw .keepsNoUsers }
      return try await shelf.exchange(for: session)
    }
  }

  /// Ensures that the store has a lock if one is needed, and undoes an incomplete sign-in. Afterwards the store holds
  /// the right session.
  fileprivate func prepare() async throws(AuthError) {
    if !isAdmitted { try await findLock() }
    guard let unsettled else { return }
    _ = try await call { (store) throws(AuthError) in
      try await store.write(unsettled.replaced, if: .session(unsettled.session))
    }
    self.unsettled = nil
  }

  /// Takes the lock and releases it, so that a store without one is refused now instead of at the first refresh.
  private func findLock() async throws(AuthError) {
    if isReleased { throw .closed }
    do throws(AuthError) {
      guard
        try await call({ (store) throws(AuthError) in
          guard let lock = try await store.lock() else { return false }
          lock.release()
          return true
        })
      else { throw .hasNoLock }
    } catch {
      guard error.code == .storeInUse else { throw error }
    }
    hasLock = true
  }

  private func call<Value: Sendable>(
    _ body: @escaping @Sendable (any CredentialStore) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    try await Background.run(on: threads) { [dependencies] () throws(AuthError) in
      guard let store = dependencies.current?.store else { throw .closed }
      return try await body(store)
    }
  }

  /// Returns the stored session. Throws for a generation so high that it cannot be incremented, which Gatehouse has not
  /// written.
  private nonisolated static func checked(_ stored: StoredSession?) throws(AuthError) -> StoredSession? {
    guard let stored, stored.generation > UInt64(Int64.max) else { return stored }
    throw AuthError(.storeDamaged, "the stored session counts \(stored.generation) changes; sign in again")
  }
}

/// Access to the store, for the duration of a turn.
@WorkQueue
struct StoreTurn {
  private let store: SessionStore

  fileprivate init(of store: SessionStore) { self.store = store }

  func load() async throws(AuthError) -> StoredSession? { try await store.load() }

  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    try await store.write(session, if: condition)
  }

  func replace(
    by new: StoredSession, _ accept: @WorkQueue () throws(AuthError) -> Void
  ) async throws(AuthError) {
    try await store.replace(by: new, accept)
  }

  /// Returns the sessions of other users, most recent first.
  func others() async throws(AuthError) -> [StoredSession] { try await store.others() }

  /// Makes one of the other sessions the current one, and sets the current one aside.
  func exchange(for session: String?) async throws(AuthError) -> StoreOutcome {
    try await store.exchange(for: session)
  }

  /// Stores the changes of a session.
  func save(_ session: UserSession) async throws(AuthError) { try await store.put(session, in: self) { _ in } }

  /// Whether this `Auth` holds the store's lock.
  var isLocked: Bool { store.isLocked }

  /// Records that the session was merged with the stored one under the lock.
  func noteMeeting() { store.isSure = true }

  /// Takes the store's lock, if it has one, for the duration of the lease; throws `.storeInUse` if another `Auth` holds
  /// it.
  func takeLock() async throws(AuthError) { try await store.takeLock() }

  /// Ensures that the store can be called and holds the right session.
  func prepare() async throws(AuthError) { try await store.prepare() }
}
