import GatehouseBase
import GatehouseQueues

/// Calls the store in order: one turn at a time, each off the work queue.
///
/// A turn keeps the queue however long it takes, because a late write must never follow a later one; waiting callers
/// have their own timeouts. The result of a turn, including a failure, is handled before the turn ends, so a caller
/// that waits for a later turn finds it done. A turn may outlive its `Auth`, so it holds the box of the app's objects,
/// and releases none of them on the work queue.
///
/// Every change is a function of all that is stored: one read, and one write that compares. On a conflict it starts
/// again. What fails is owed (`OwedWrites`, and sessions with unsaved changes). Every turn carries out what is owed
/// first, and fails while it cannot; `flush` does nothing else.
@WorkQueue
final class SessionStore {
  let queue = SerialTaskQueue(label: "gatehouse.store")
  let dependencies: TakeOnce<AppDependencies>
  /// One thread: the store is called for one operation at a time.
  let threads = PoolShare(width: 1)
  var owed = OwedWrites()
  /// The sessions whose changes could not be saved: one for each user at most.
  var unsaved: [UserSession] = []
  /// The sessions that the store held when it was last called; `nil` if they are not known.
  var lastSeen: SessionShelf?
  /// Whether the last write failed: it may have been made, and not be durable.
  var isInDoubt = false
  /// Compares a session with the store's current one, which may have been written by another process.
  var meet: (@WorkQueue (StoredSession?, UserSession) -> Void)?

  /// Whether the store keeps the sessions of several users.
  nonisolated let keepsUsers: Bool
  /// Whether the provider rotates refresh tokens. If so, no refresh is made without the store's lock.
  let needsLock: Bool
  /// Whether the store is known to have a lock.
  var hasLock = false
  var lock: TakeOnce<any StoreLock>?
  /// Whether this `Auth` has read the store since it took the lock, so that no other has changed the tokens.
  var isSure = false
  /// The number of operations that want or have the lock.
  private var leases = 0
  private var watch: TakeOnce<any StoreWatch>?
  var isReleased = false

  nonisolated init(_ dependencies: TakeOnce<AppDependencies>, needsLock: Bool, keepsUsers: Bool) {
    self.dependencies = dependencies
    self.needsLock = needsLock
    self.keepsUsers = keepsUsers
  }

  deinit {
    let (lock, watch) = (lock, watch)
    if lock == nil, watch == nil { return }
    Self.inBackground {
      watch?.take()?.end()
      lock?.take()?.release()
    }
  }

  /// Runs code of a store that may block, such as the release of its lock, and does not wait for it. Each piece has a
  /// queue of its own, so that one that never returns holds up no other.
  private nonisolated static func inBackground(_ work: @escaping @Sendable () -> Void) {
    BackgroundQueue(label: "gatehouse.store.locks", width: 1).async(work)
  }

  /// Sets the comparison of a session with the store's current one. Called before anything else.
  func tell(_ meet: @escaping @WorkQueue (StoredSession?, UserSession) -> Void) { self.meet = meet }

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
  /// - Parameter learn: called within the turn with the store's error.
  @discardableResult
  func save(
    _ session: UserSession, failed learn: @escaping @WorkQueue @Sendable (AuthError) -> Void
  ) -> Promise<Void, AuthError> {
    turn("save") { (turn) throws(AuthError) in
      do throws(AuthError) { try await self.put(session) } catch {
        learn(error)
        throw error
      }
    }
  }

  /// Erases a stored session. The erasure is owed from now on, whichever turn comes first.
  ///
  /// - Parameter learn: called within the turn with the store's error.
  func erase(_ erasure: OwedWrites.Erasure, failed learn: @escaping @WorkQueue @Sendable (AuthError) -> Void) {
    owed.erase(erasure)
    _ = turn("erase") { (_) throws(AuthError) in
      do throws(AuthError) { try await self.settle() } catch { learn(error) }
    }
  }

  /// Watches the store, if it supports that. Nothing depends on the watch, so a store that cannot be watched is used
  /// without it.
  ///
  /// - Parameter changed: called on the work queue.
  func beginWatching(_ changed: @escaping @WorkQueue @Sendable () -> Void) async throws(AuthError) {
    let begun = try await call { (store) throws(AuthError) in
      try await store.watch { WorkQueue.async("store changed", changed) }.map(TakeOnce.init)
    }
    if isReleased { return Self.inBackground { begun?.take()?.end() } }
    watch = begun
  }

  /// Resolves when every earlier turn has ended and nothing is owed any more. Owed changes are retried once; the first
  /// failure is thrown.
  func flush() -> Promise<Void, AuthError> {
    turn("flush") { (_) throws(AuthError) in
      if !self.owed.isEmpty { try await self.settle() }
      var failure: AuthError?
      for session in self.unsaved {
        do throws(AuthError) { try await self.put(session) } catch { failure = failure ?? error }
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
        Self.inBackground { watch.take()?.end() }
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

  var isLocked: Bool { lock != nil }

  /// Takes the store's lock, if it has one, for the duration of the lease.
  ///
  /// - Throws: `.storeInUse` if another `Auth` holds it.
  func takeLock() async throws(AuthError) {
    guard leases > 0, !isReleased, lock == nil else { return }
    lock = try await call { (store) throws(AuthError) in try await store.lock().map(TakeOnce.init) }
  }

  /// Releases the lock if no lease is active. A rotated refresh token that is not stored yet keeps the lock, because
  /// another `Auth` would find the used token.
  func unlockIfIdle() async throws(AuthError) {
    let isKept = unsaved.contains { (needsLock || $0.rotation != nil) && $0.tokens != $0.known.tokens }
    guard leases == 0, !isKept else { return }
    try await unlock()
  }

  private func unlock() async throws(AuthError) {
    guard let lock else { return }
    (self.lock, isSure) = (nil, false)
    try await Background.run(on: threads) { () throws(AuthError) in lock.take()?.release() }
  }
}
