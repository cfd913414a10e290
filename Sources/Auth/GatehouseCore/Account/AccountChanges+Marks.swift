import GatehouseBase
import GatehouseQueues

// The mark of a change: it records in the store that the session's tokens may be revoked at any moment.
extension AccountChanges {
  /// Marks in the store that a change may revoke the session's tokens. Waits for the mark of another process to end:
  /// that process's change would revoke the tokens that this change is sent with.
  func mark(_ change: AccountChange) async throws(AuthError) {
    let session = change.session
    let timeouts = environment.timeouts
    var begun: ClockReading?
    while true {
      let (now, id) = try await environment.read { ($0.clocks.now(), $0.random.identifier()) }
      if let begun, let other = session.pendingRevocation,
        now.elapsed(since: begun) > timeouts.call - 2 * SessionKeeper.lookAgain
      {
        throw .changing(for: other.limitSeconds - now.elapsed(since: other.begun))
      }
      begun = begun ?? now
      let mark = PendingRevocation(id: id, begun: now, limitSeconds: timeouts.call + timeouts.store)
      change.mark = mark
      let isMarked = keeper.store.turn("mark") { (turn) throws(AuthError) in
        self.keeper.meet(try await turn.load(), with: session)
        try change.checkWanted()
        for _ in 0..<3 {
          if let other = session.pendingRevocation, other != session.ownMark, other.isUnderWay(at: mark.begun) { break }
          if try await self.put(mark, on: session, in: turn) { return true }
        }
        return false
      }
      do throws(AuthError) {
        if try await environment.wait(for: isMarked, "the store", timeout: timeouts.store) { return }
      } catch {
        change.isAbandoned = true  // the store's turn may still come, and must not write a mark then
        unmark(change)
        throw error
      }
      guard await environment.time.rest(for: SessionKeeper.lookAgain) else { throw .cancelled }
    }
  }

  /// - Returns: whether the store has the mark; `false` if another process has changed the session meanwhile.
  private func put(
    _ mark: PendingRevocation, on session: UserSession, in turn: StoreTurn
  ) async throws(AuthError) -> Bool {
    let before = session.pendingRevocation
    session.pendingRevocation = mark
    session.ownMark = mark
    guard let marked = session.unsaved else { return true }
    session.willStore(marked)
    let result = await outcome { () throws(AuthError) in try await turn.write(marked, if: session.isUnchanged) }
    if case .success(.written) = result {
      session.known = marked
      return true
    }
    if session.pendingRevocation == mark { session.pendingRevocation = before }
    if case .conflict(let stored) = try result.typed() { keeper.meet(stored, with: session) }
    try session.checkLive()
    return false
  }

  /// Removes the mark of a change that was not made. Other `Auth`s wait for the mark, so a failed store is retried
  /// until the mark has expired.
  func unmark(_ change: AccountChange) {
    let session = change.session
    guard session.ending == nil, let mark = change.mark else { return }
    session.withdraw(mark)
    saveWithoutMark(session, again: SessionKeeper.lookAgain)
  }

  /// - Parameter seconds: the time to wait before the next attempt, if this one fails.
  private func saveWithoutMark(_ session: UserSession, again seconds: Double) {
    guard session.ending == nil, session.unsaved != nil else { return }
    let saved = keeper.save(session)
    guard seconds < environment.timeouts.call + environment.timeouts.store else { return }
    WorkQueue.start("unmark") { [weak self, time = environment.time] in
      guard case .failure = await outcome(of: { () throws(AuthError) in try await saved.value() }) else { return }
      _ = await time.rest(for: seconds)
      self?.saveWithoutMark(session, again: 2 * seconds)
    }
  }
}

extension AuthError {
  /// - Parameter seconds: the time for which another `Auth`'s mark is still valid.
  fileprivate static func changing(for seconds: Double) -> AuthError {
    let seconds = Int(clamping: max(seconds, 1).rounded(.up))
    return AuthError(
      .deadlineExceeded,
      "another Auth on this store is changing this account, or ended while it did; try again in \(seconds) s",
      retryAfter: .seconds(seconds))
  }
}
