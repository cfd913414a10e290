import GatehouseBase
import GatehouseQueues

/// The store, in order: one turn at a time, each off the work queue.
///
/// A turn is kept however long it takes, because a late write must never follow a later one; those who wait have their
/// own timeouts. The result of a turn, a failure included, is acted upon before the turn ends: a caller that waits for
/// a later turn finds it done. A turn may outlive its `Auth`, so it holds the box of what the app handed in, and
/// empties nothing on the work queue.
///
/// A failed operation is recorded as owed, and `flush` tries it again:
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
  /// One thread: the store is asked for one thing at a time.
  private let threads = PoolShare(width: 1)
  private var unsettled: UnsettledSignIn?
  private var unerased: StoreCondition?
  private var unsaved: UserSession?

  /// Whether this `Auth` must have the store for itself.
  private let needsLock: Bool
  private var lock: TakeOnce<any StoreLock>?
  private var watch: TakeOnce<any StoreWatch>?
  /// Erasures that have their turn still to come.
  private var erasures: [StoreCondition] = []
  private var isReleased = false
  /// Locks are released here, because that may block.
  private nonisolated static let releases = BackgroundQueue(label: "gatehouse.store.locks", width: 1)

  /// A sign-in whose session the store holds, or may hold, and that is not done.
  private struct UnsettledSignIn {
    let session: String
    /// What the store held before.
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

  /// Whether a sign-in may begin without asking the store first.
  var isAdmitted: Bool { !needsLock || lock != nil }

  // MARK: Turns

  /// Puts an operation in the store's queue. It may call the store any number of times; nothing else does meanwhile.
  func turn<Value: Sendable>(
    _ name: StaticString, _ body: @escaping @WorkQueue @Sendable (StoreTurn) async throws(AuthError) -> Value
  ) -> Promise<Value, AuthError> {
    queue.enqueue(name, deadline: nil) { () throws(AuthError) in try await body(StoreTurn(of: self)) }
  }

  /// Stores the session's changes, as they are when the turn comes.
  ///
  /// - Parameter learn: called within the turn with the store's answer. On a conflict it merges the stored version.
  @discardableResult
  func save(
    _ session: UserSession, _ learn: @escaping @WorkQueue @Sendable (Result<StoreOutcome, AuthError>) -> Void
  ) -> Promise<Void, AuthError> {
    turn("save") { (turn) throws(AuthError) in try await self.put(session, in: turn, learn) }
  }

  /// Erases what is stored, if the condition holds of it.
  @discardableResult
  func erase(
    if condition: StoreCondition, _ learn: @escaping @WorkQueue @Sendable (Result<StoreOutcome, AuthError>) -> Void
  ) -> Promise<Void, AuthError> {
    erasures.append(condition)
    return turn("erase") { (turn) throws(AuthError) in
      // Its own turn has come: `unerased` remembers what fails.
      if let index = self.erasures.firstIndex(of: condition) { self.erasures.remove(at: index) }
      try await self.erase(if: condition, in: turn, learn)
    }
  }

  /// Whether a stored session is to go, or is one that a sign-in has left behind: it must not be taken for a user who
  /// has signed in elsewhere.
  func isToGo(_ stored: StoredSession) -> Bool {
    unsettled != nil || (erasures + [unerased].compactMap(\.self)).contains { $0.holds(of: stored) }
  }

  /// Watches the store, if that can be. A store that cannot be asked is not: nothing depends on it.
  ///
  /// - Parameter changed: called on the work queue.
  func beginWatching(_ changed: @escaping @WorkQueue @Sendable () -> Void) async throws(AuthError) {
    let begun = try await call { (store) throws(AuthError) in
      try await store.watch { WorkQueue.async("store changed", changed) }.map(TakeOnce.init)
    }
    if isReleased { return Self.releases.async { begun?.take()?.end() } }
    watch = begun
  }

  /// Comes when every turn before has ended and nothing is owed any more. What is owed is tried once; the first failure
  /// is thrown.
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
      guard let lock = self.lock else { return }
      self.lock = nil
      try await Background.run(on: self.threads) { () throws(AuthError) in lock.take()?.release() }
    }
  }

  /// How often a write is repeated after a conflict.
  private static let maximumConflicts = 16

  fileprivate func put(
    _ session: UserSession, in turn: StoreTurn,
    _ learn: @WorkQueue (Result<StoreOutcome, AuthError>) -> Void
  ) async throws(AuthError) {
    let result = await outcome { () throws(AuthError) in
      for _ in 0..<Self.maximumConflicts {
        // An ended session is not stored any more; one that `close()` ended is.
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
    case .success: if unsaved === session { unsaved = nil }
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
  ///     has written              throws          what was stored before is put back, at once
  ///     throws                                   the same: it may have written
  ///     cannot be read                           nothing is written, because it could not be put back; but what is
  ///                                              damaged is replaced
  ///
  /// - Parameter accept: decides within the turn, when the new session is stored.
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
      try? await prepare()  // what could not be undone is owed
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

  /// The sessions of other users, the latest first.
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

  /// Takes the lock if one is needed, and undoes a sign-in that is over. Afterwards the store holds the right session.
  fileprivate func prepare() async throws(AuthError) {
    if !isAdmitted { lock = try await takeLock() }
    guard let unsettled else { return }
    _ = try await call { (store) throws(AuthError) in
      try await store.write(unsettled.replaced, if: .session(unsettled.session))
    }
    self.unsettled = nil
  }

  private func takeLock() async throws(AuthError) -> TakeOnce<any StoreLock> {
    if isReleased { throw .closed }
    return try await call { (store) throws(AuthError) in
      guard let lock = try await store.lock() else {
        throw AuthError(
          .invalidArgument,
          "this backend rotates refresh tokens, which only one Auth may use, and this store has no lock to keep others "
            + "away; use a store that has one, such as FileCredentialStore, or a backend that does not rotate")
      }
      return TakeOnce(lock)
    }
  }

  private func call<Value: Sendable>(
    _ body: @escaping @Sendable (any CredentialStore) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    try await Background.run(on: threads) { [dependencies] () throws(AuthError) in
      guard let store = dependencies.current?.store else { throw .closed }
      return try await body(store)
    }
  }

  /// A generation so high that it cannot be incremented was not written by us.
  private nonisolated static func checked(_ stored: StoredSession?) throws(AuthError) -> StoredSession? {
    guard let stored, stored.generation > UInt64(Int64.max) else { return stored }
    throw AuthError(.storeDamaged, "the stored session counts \(stored.generation) changes; sign in again")
  }
}

extension AuthError {
  /// Switching between users needs a store with a shelf.
  static var keepsNoUsers: AuthError {
    AuthError(
      .operationNotAllowed,
      "this store keeps one user; to switch between several use one that keeps them, "
        + "such as .file(path, keepsUsers: true)")
  }
}

/// The right to call the store, for as long as a turn lasts.
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

  /// The sessions of other users, the latest first.
  func others() async throws(AuthError) -> [StoredSession] { try await store.others() }

  /// Makes one of those the current one, and sets the current one aside.
  func exchange(for session: String?) async throws(AuthError) -> StoreOutcome {
    try await store.exchange(for: session)
  }

  /// Stores what has changed in a session.
  func save(_ session: UserSession) async throws(AuthError) { try await store.put(session, in: self) { _ in } }

  /// Makes sure that the store can be called and holds the right session.
  func prepare() async throws(AuthError) { try await store.prepare() }
}
