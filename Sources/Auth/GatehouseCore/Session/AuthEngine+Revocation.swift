import GatehouseBase
import GatehouseQueues

// Changes of an account that revoke the session's tokens.
extension AuthEngine {
  /// A change that revokes the session's tokens and brings new ones takes its turn among the refreshes, and is marked
  /// in the store before it is sent. Without the turn a refresh of this `Auth` would send the token that the change has
  /// just revoked; without the mark another `Auth` would take that token's refusal for the end of the session.
  ///
  ///     the change                                  the mark
  ///     cannot be marked                            none: it is not sent, because its tokens could not be stored
  ///     brings tokens, or says it revoked none      gone, with the same write
  ///     was not sent, or was refused                gone
  ///     came to an end that is not known            stays until it is out of date: the change may have been made
  func alone(
    _ change: AccountChange, _ send: @escaping @WorkQueue @Sendable () async throws(AuthError) -> SessionTokens?
  ) async throws(AuthError) {
    let session = change.session
    let deadline = Deadline(timeouts.call, on: time)
    try await session.tokenQueue.run("change of tokens", deadline: deadline) { () throws(AuthError) in
      try await self.mark(change)
      let revocations = session.revocations
      let tokens: SessionTokens?
      do throws(AuthError) {
        try change.checkWanted()
        change.isSent = true
        tokens = try await send()
      } catch {
        if !change.isSent || error.isRefusal { self.unmark(change) }
        throw error
      }
      // A later change has brought tokens already: these came late, and that one has most likely revoked them.
      guard session.revocations == revocations else { return try session.checkLive() }
      try self.take(tokens, from: change)
    }
  }

  /// Takes what a change has brought. Tokens that come with a change replace a refresh token that it has revoked.
  func take(_ tokens: SessionTokens?, from change: AccountChange) throws(AuthError) {
    let session = change.session
    try session.checkLive()
    guard let tokens else { return unmark(change) }
    if let mark = change.mark { session.withdraw(mark) }
    session.revocations += 1
    change.stored = apply(tokens, to: session)
  }

  /// Waits until the store has the tokens that a change has brought: they may be the only good ones. A store that
  /// fails, or takes too long, does not make the change undone: the failure is logged, and `flush()` tries again.
  func untilStored(_ change: AccountChange) async {
    guard let stored = change.stored else { return }
    _ = await outcome { () throws(AuthError) in
      try await wait(for: stored, "the store", timeout: timeouts.store)
    }
  }
}

// MARK: - The mark of a change

extension AuthEngine {
  /// Marks in the store that a change may revoke the session's tokens. A mark of another process is waited for: its
  /// change would revoke what this one is sent with.
  private func mark(_ change: AccountChange) async throws(AuthError) {
    let session = change.session
    var begun: ClockReading?
    while true {
      let (now, id) = try await readOutside { ($0.clocks.now(), $0.random.identifier()) }
      if let begun, let other = session.pendingRevocation,
        now.elapsed(since: begun) > timeouts.call - 2 * Self.lookAgain
      {
        throw .changing(for: other.limitSeconds - now.elapsed(since: other.begun))
      }
      begun = begun ?? now
      let mark = PendingRevocation(id: id, begun: now, limitSeconds: timeouts.call + timeouts.store)
      change.mark = mark
      let isMarked = store.turn("mark") { (turn) throws(AuthError) in
        self.meet(try await turn.load(), with: session)
        try change.checkWanted()
        for _ in 0..<3 {
          if let other = session.pendingRevocation, other != session.ownMark, other.isUnderWay(at: mark.begun) { break }
          if try await self.put(mark, on: session, in: turn) { return true }
        }
        return false
      }
      do throws(AuthError) {
        if try await wait(for: isMarked, "the store", timeout: timeouts.store) { return }
      } catch {
        change.isAbandoned = true  // the store's turn may come all the same: it must put no mark then
        unmark(change)
        throw error
      }
      guard await time.rest(for: Self.lookAgain) else { throw .cancelled }
    }
  }

  /// - Returns: whether the store has the mark; not if another process has changed the session meanwhile.
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
    if case .conflict(let stored) = try result.get() { meet(stored, with: session) }
    try session.checkLive()
    return false
  }

  /// Takes the mark of a change that was not made away again. Other `Auth`s wait for it, so a store that fails is asked
  /// again until the mark is out of date.
  private func unmark(_ change: AccountChange) {
    let session = change.session
    guard session.ending == nil, let mark = change.mark else { return }
    session.withdraw(mark)
    saveWithoutMark(session, again: Self.lookAgain)
  }

  /// - Parameter seconds: how long to wait before the next attempt, if this one fails.
  private func saveWithoutMark(_ session: UserSession, again seconds: Double) {
    guard session.ending == nil, session.unsaved != nil else { return }
    let saved = save(session)
    guard seconds < timeouts.call + timeouts.store else { return }
    WorkQueue.start("unmark") { [weak self, time] in
      guard case .failure = await outcome(of: { () throws(AuthError) in try await saved.value() }) else { return }
      _ = await time.rest(for: seconds)
      self?.saveWithoutMark(session, again: 2 * seconds)
    }
  }
}

extension AuthError {
  /// - Parameter seconds: how long another `Auth`'s mark still counts.
  fileprivate static func changing(for seconds: Double) -> AuthError {
    let seconds = Int(clamping: max(seconds, 1).rounded(.up))
    return AuthError(
      .deadlineExceeded,
      "another Auth on this store is changing this account, or ended while it did; try again in \(seconds) s",
      retryAfter: .seconds(seconds))
  }

  /// Whether the provider has answered, and has changed nothing. Of any other failure nobody knows.
  fileprivate var isRefusal: Bool {
    let isOfProvider = (17_000..<19_000).contains(code.rawValue)
    return isOfProvider && code != .networkError && code != .internalError && code != .storeFailed
  }
}
