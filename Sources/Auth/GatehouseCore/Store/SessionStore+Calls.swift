import GatehouseBase
import GatehouseQueues

// The calls of the store itself, off the work queue.
extension SessionStore {
  /// Returns what is stored, as it is when everything owed is carried out.
  func load() async throws(AuthError) -> SessionShelf {
    try await settle()
    let stored = try await read()
    return owed.carriedOut(on: stored)  // a sign-out may have come during the read
  }

  func read() async throws(AuthError) -> SessionShelf {
    lastSeen = nil
    let stored = try await call { [keepsUsers] (store) throws(AuthError) in
      guard keepsUsers else { return try Self.checked(SessionShelf(current: try await store.load())) }
      guard let shelf = store.shelf else { throw .keepsNoUsers }
      return try Self.checked(try await shelf.sessions())
    }
    lastSeen = stored
    owed.identifyCurrent(in: stored)
    return stored
  }

  /// - Returns: Whether the store still held what `stored` says, and was written.
  func write(_ new: SessionShelf, over stored: SessionShelf) async throws(AuthError) -> Bool {
    let isDoubted = isInDoubt
    (lastSeen, isInDoubt) = (nil, true)
    let (isWritten, seen) = try await call { [keepsUsers] (store) throws(AuthError) -> (Bool, SessionShelf?) in
      if keepsUsers {
        guard let shelf = store.shelf else { throw .keepsNoUsers }
        let isWritten = try await shelf.replace(stored, by: new)
        return (isWritten, isWritten ? new : nil)
      }
      let condition = stored.current.map { StoreCondition.sessionBefore($0.session, generation: $0.generation + 1) }
      switch try await store.write(new.current, if: condition ?? .empty) {
      case .written: return (true, new)
      case .conflict(let other): return (false, try Self.checked(SessionShelf(current: other)))
      }
    }
    (lastSeen, isInDoubt) = (seen, !isWritten && isDoubted)
    return isWritten
  }

  /// Replaces everything that is stored, readable or not. If the store can be read and only some of its sessions are
  /// damaged, a sign-in keeps the others, with those that another process stores meanwhile.
  func replaceAll(by session: StoredSession?) async throws(AuthError) {
    (lastSeen, isInDoubt) = (nil, true)
    try await call { [keepsUsers] (store) throws(AuthError) in
      if keepsUsers, let session, let shelf = store.shelf, try await Self.sign(session, into: shelf) { return }
      _ = try await store.write(session, if: .always)
    }
    isInDoubt = false
  }

  /// Makes a session the current one, and sets aside the others that are not damaged.
  ///
  /// - Returns: `false` if the store is damaged so that it cannot be read.
  private nonisolated static func sign(
    _ session: StoredSession, into shelf: any UserShelf
  ) async throws(AuthError) -> Bool {
    for _ in 0..<maximumConflicts {
      let stored: SessionShelf
      do throws(AuthError) {
        stored = try await shelf.sessions()
      } catch {
        guard error.code == .storeDamaged else { throw error }
        return false
      }
      let others = stored.all.filter { !isDamaged($0) }
      if try await shelf.replace(stored, by: SessionShelf(current: session, others: others)) { return true }
    }
    throw .isChangedEachTime
  }

  /// Takes the lock and releases it, so that a store without one is refused now instead of at the first refresh.
  func findLock() async throws(AuthError) {
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

  func call<Value: Sendable>(
    _ body: @escaping @Sendable (any CredentialStore) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    try await Background.run(on: threads) { [dependencies] () throws(AuthError) in
      guard let store = dependencies.current?.store else { throw .closed }
      return try await body(store)
    }
  }

  /// Returns the stored sessions. Throws for a generation so high that it cannot be incremented, which Gatehouse has
  /// not written.
  private nonisolated static func checked(_ stored: SessionShelf) throws(AuthError) -> SessionShelf {
    guard let high = stored.all.first(where: isDamaged) else { return stored }
    throw AuthError(.storeDamaged, "the stored session counts \(high.generation) changes; sign in again")
  }

  private nonisolated static func isDamaged(_ session: StoredSession) -> Bool {
    session.generation > UInt64(Int64.max)
  }
}
