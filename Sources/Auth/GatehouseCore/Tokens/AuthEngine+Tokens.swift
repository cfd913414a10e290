package import GatehouseBase
import GatehouseQueues
import IdentityToolkit

// Fresh tokens: one refresh under way at most, and every waiter gets the outcome of one that suits him.
//
//     asked for          a refresh is…     then
//     a fresh token      whatever          the token, at once
//     a due token        none              start one
//     a due token        in flight         share it
//     a forced refresh   none              start one
//     a forced refresh   not sent yet      share it, and it must ask the server
//     a forced refresh   sent              share the one behind it, which starts when it has ended
extension AuthEngine {
  /// - Parameter now: what the clocks showed when the call was made; clocks are not read on the work queue.
  package func getIDTokenInternal(
    _ session: UserSession, forcingRefresh: Bool, now: ClockReading, timeout: Duration?
  ) async throws(AuthError) -> SessionTokens {
    try checkOpen()
    return try await freshTokens(session, forcingRefresh: forcingRefresh, now: now, timeout: timeout)
  }

  /// The session's tokens while they are fresh; `nil` when `getIDTokenInternal` must be asked.
  package func freshTokensInternal(_ session: UserSession, now: ClockReading) -> SessionTokens? {
    guard !isClosing, session.ending == nil, session.tokens.isFresh(at: now) else { return nil }
    return session.tokens
  }

  /// The same for a part of a call that was let in before.
  func freshTokens(
    _ session: UserSession, forcingRefresh: Bool, now: ClockReading, timeout: Duration? = nil
  ) async throws(AuthError) -> SessionTokens {
    try session.checkLive()
    if !forcingRefresh {
      if session.tokens.isFresh(at: now) { return session.tokens }
      if let error = session.refreshes.pause?.error(at: now) {
        guard session.tokens.remaining(at: now) > 0 else { throw error }
        return session.tokens
      }
    }
    try session.tokenQueue.checkNotHeld()  // before a refresh is begun that nobody could wait for
    let promise = refresh(session, forcingRefresh ? .always : .ifDue)
    do throws(AuthError) {
      return try await wait(for: promise, "getIDToken", timeout: timeout?.inSeconds)
    } catch {
      // A caller who was cancelled, or whose own timeout came first, has learnt nothing of the provider.
      guard !forcingRefresh, promise.isResolved, error.code != .cancelled, session.ending == nil else { throw error }
      // The provider fails, but the old token still lives: better than none.
      let later = try await readClocks()
      guard session.ending == nil, session.tokens.remaining(at: later) > 0 else { throw error }
      return session.tokens
    }
  }

  /// The refresh that suits the caller, in flight or new.
  private func refresh(_ session: UserSession, _ need: Refresh.Need) -> Promise<SessionTokens, AuthError> {
    // One that has met its deadline may still be under way, but nobody can wait for it any more.
    if let current = session.refreshes.current, let promise = current.promise, !promise.isResolved {
      if need < .always || !current.isSent {
        current.need = max(current.need, need)
        return promise
      }
      if let promise = session.refreshes.next?.promise { return promise }
      return enqueue(Refresh(need), for: session) { session.refreshes.next = $0 }
    }
    return enqueue(Refresh(need), for: session) { session.refreshes.current = $0 }
  }

  private func enqueue(
    _ refresh: Refresh, for session: UserSession, note place: (Refresh) -> Void
  ) -> Promise<SessionTokens, AuthError> {
    place(refresh)
    let deadline = Deadline(timeouts.refresh, on: time)
    let promise = session.tokenQueue.enqueue("refresh", deadline: deadline) { () throws(AuthError) in
      if session.refreshes.next === refresh {
        session.refreshes.current = refresh
        session.refreshes.next = nil
      }
      defer { if session.refreshes.current === refresh { session.refreshes.current = nil } }
      return try await self.run(refresh, for: session)
    }
    refresh.promise = promise
    WorkQueue.begin {
      let result = await outcome { () throws(AuthError) in try await promise.value() }
      guard case .failure(let error) = result, error.code == .deadlineExceeded else { return }
      await self.note(error, for: session)
    }
    return promise
  }

  /// One refresh, in its turn.
  private func run(_ refresh: Refresh, for session: UserSession) async throws(AuthError) -> SessionTokens {
    try session.checkLive()
    let before = session.tokens
    try await adoptStored(session)
    let now = try await readClocks()
    try session.checkLive()
    let isNeeded =
      switch refresh.need {
      case .ifDue: !session.tokens.isFresh(at: now)
      case .ahead: !session.tokens.isFresh(at: now) || session.tokens == before
      case .always: true
      }
    guard isNeeded else { return session.tokens }
    if let pause = session.refreshes.pause, pause.isServersWish, let error = pause.error(at: now) { throw error }
    if Task.isCancelled { throw .cancelled }  // its deadline has passed: another one may be on its way
    refresh.isSent = true
    return try await exchange(session)
  }

  /// Exchanges the refresh token for new tokens. If the session gets better tokens meanwhile, from a change of the
  /// account here or in another process, the exchange is repeated with those, until the refresh's deadline.
  ///
  /// An answer that comes after the refresh's deadline counts if the session still has the tokens that were sent; else
  /// what it has is newer, and the answer, good or bad, says nothing of it.
  private func exchange(_ session: UserSession) async throws(AuthError) -> SessionTokens {
    while true {
      let (sent, revocations) = (session.tokens, session.revocations)
      do throws(AuthError) {
        let (response, received) = try await ask(ExchangeRefreshToken(refreshToken: sent.refreshToken))
        try session.checkLive()
        let tokens = try SessionTokens(response, of: session.uid, received: received)
        // The token that was sent was revoked meanwhile by a change of the account: what it bought buys nothing more.
        if session.revocations != revocations, !Task.isCancelled { continue }
        if session.tokens != sent, Task.isCancelled { return session.tokens }
        apply(tokens, to: session)
        return session.tokens
      } catch {
        guard session.ending == nil else { throw error }
        // Another process may have better tokens, or may be about to get them: the store decides.
        if RefreshPolicy.isTerminal(error.code), await outlives(session, error, of: sent), !Task.isCancelled {
          continue
        }
        guard session.ending == nil, session.tokens == sent else { throw session.ending ?? error }
        // The missed deadline of a late failure is already noted.
        if !Task.isCancelled { await note(error, for: session) }
        throw error
      }
    }
  }

  /// Reads the store before a refresh: merges another process's changes, or ends the session if that process ended it.
  /// Saves changes that the store lacks.
  func adoptStored(_ session: UserSession) async throws(AuthError) {
    let met = store.turn("load") { (turn) throws(AuthError) in
      self.meet(try await turn.load(), with: session)
      if session.ending == nil, session.unsaved != nil { self.save(session) }
    }
    do throws(AuthError) {
      try await wait(for: met, "load", timeout: timeouts.store)
    } catch {
      log(.warning, "the stored session could not be read before a refresh: \(error)")
    }
    try session.checkLive()
  }

  /// Gives a session new tokens. The promise comes when the store has them.
  @discardableResult
  func apply(_ tokens: SessionTokens, to session: UserSession) -> Promise<Void, AuthError> {
    session.tokens = tokens
    session.refreshes.failures = 0
    session.refreshes.pause = nil
    defer { scheduleAutoRefresh() }
    return save(session)
  }

  /// Learns from a failed refresh: leaves the server alone for a while.
  private func note(_ error: AuthError, for session: UserSession) async {
    guard session.ending == nil else { return }
    session.refreshes.failures += 1
    let failures = session.refreshes.failures
    let drawn = await outcome { () throws(AuthError) in
      try await readOutside { ($0.random.unit(), $0.clocks.now()) }
    }
    guard case .success(let (unit, now)) = drawn else { return }
    guard session.ending == nil, session.refreshes.failures == failures else { return }
    let pause = Pause(
      cause: error, begin: now,
      seconds: RefreshPolicy.backOff(failures: failures, unit: unit, retryAfter: error.retryAfter),
      isServersWish: error.retryAfter != nil)
    session.refreshes.pause = pause
    guard refreshesAutomatically, state.session === session else { return }
    let seconds = Int(max(pause.seconds, 1).rounded(.up))
    log(.warning, "a token could not be refreshed ahead of time, next attempt in \(seconds) s: \(error)")
    scheduleAutoRefresh()
  }
}

// MARK: - Ahead of time

extension AuthEngine {
  /// Switches refreshing ahead of expiry on or off.
  package func setAutoRefreshInternal(_ isOn: Bool) {
    refreshesAutomatically = isOn
    scheduleAutoRefresh()
  }

  /// Sets the alarm for the current session's next refresh; there is one alarm at most.
  ///
  /// - Parameter shortest: the alarm is at least so many seconds away.
  func scheduleAutoRefresh(after shortest: Double = 0) {
    autoRefresh?.cancel()
    autoRefresh = nil
    guard refreshesAutomatically, !isClosing, let session = state.session else { return }
    let (tokens, pause) = (session.tokens, session.refreshes.pause)
    autoRefresh = time.at { [surroundings] now in
      if let pause { return Alarm(boot: now.boot + max(pause.remaining(at: now), RefreshPolicy.shortestRetry)) }
      let unit = surroundings.current?.random.unit() ?? 0.5
      let alarm = RefreshPolicy.alarm(for: tokens, unit: unit, now: now)
      guard shortest > 0 else { return alarm }
      return Alarm(boot: max(alarm.boot, now.boot + shortest), wall: alarm.wall.map { max($0, now.wall + shortest) })
    } then: { [weak self, weak session] in
      guard let self, let session, self.state.session === session, !self.isClosing else { return }
      self.autoRefresh = nil
      let refresh = self.refresh(session, .ahead)
      WorkQueue.begin {
        _ = await outcome { () throws(AuthError) in try await refresh.value() }
        // New tokens have set the next alarm, and so have most failures. Whatever happened, there must be one.
        guard self.state.session === session, self.autoRefresh == nil else { return }
        self.scheduleAutoRefresh(after: RefreshPolicy.shortestRetry)
      }
    }
  }
}
