import GatehouseBase
import GatehouseQueues

// Several `Auth`s may share a store, in one process or in several. One at a time refreshes the session: it holds the
// store's lock from before it reads the store until its new tokens are stored. The others wait, and find the new tokens
// there.
//
//     the store                                              then
//     has a lock that is free                                take it, and read again
//     is locked by another `Auth`                            retry after a while; if it stays locked, its program was
//                                                            stopped, or its server does not answer
//     stays locked, or cannot be locked or read, and the     throw: a session whose token is used twice is lost. Not
//     provider rotates tokens                                if this `Auth` has kept the lock since it read the store
//     the same otherwise, or has no lock                     continue without the lock
extension SessionKeeper {
  /// The time to wait before retrying a lock, in seconds.
  private static let askAgain = 0.1
  /// The maximum number of retries: five seconds in total.
  private static let patience = 50

  /// Takes the store's lock and merges the stored session, which another `Auth` may have changed. Changes that the
  /// store lacks are saved.
  ///
  /// Called between `beginLease` and `endLease` of the store.
  ///
  /// - Parameters:
  ///   - session: the session to merge; `nil` if this `Auth` has none, and only takes the lock.
  ///   - isEnough: called after each read of the store; if it returns `true`, the lock is no longer waited for.
  func lease(_ session: UserSession?, unless isEnough: @WorkQueue () -> Bool = { false }) async throws(AuthError) {
    for attempt in 0... {
      let looked = store.turn("load") { (turn) throws(AuthError) -> Result<Void, AuthError> in
        if let session, !turn.isLocked {
          self.meet(try await turn.load(), with: session)
          // A session that has ended elsewhere takes no lock: its folder may be gone, and must not be created again.
          if session.ending != nil { return .success(()) }
        }
        let locked = await outcome { () throws(AuthError) in try await turn.takeLock() }
        if let session, turn.isLocked {
          self.meet(try await turn.load(), with: session)
          turn.noteMeeting()
        }
        if let session, session.ending == nil, session.unsaved != nil { self.save(session) }
        return locked
      }
      let locked = await outcome { () throws(AuthError) in
        try await environment.wait(for: looked, "load", timeout: environment.timeouts.store).typed()
      }
      try session?.checkLive()
      guard case .failure(let error) = locked, !isEnough() else { return }
      if error.code == .storeInUse, attempt < Self.patience {
        guard await environment.time.rest(for: Self.askAgain) else { throw .cancelled }
        continue
      }
      environment.log(.warning, "the stored session could not be locked or read before a refresh: \(error)")
      if store.needsLock || session?.rotation != nil, !store.isSure { throw error }
      return
    }
  }
}
