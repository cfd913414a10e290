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
    try session.checkLive()
    if !forcingRefresh && session.tokens.isFresh(at: now) { return session.tokens }
    if let pause = session.refreshes.pause, pause.isServersWish || !forcingRefresh {
      let remaining = pause.remaining(at: now)
      if remaining > 0 {
        if !forcingRefresh && session.tokens.remaining(at: now) > 0 { return session.tokens }
        var error = pause.error
        error.retryAfter = .seconds(remaining)
        throw error
      }
    }
    do throws(AuthError) {
      return try await wait(
        for: refresh(session, forcingRefresh ? .always : .ifDue), "getIDToken", timeout: timeout?.inSeconds)
    } catch {
      guard !forcingRefresh, session.ending == nil, error.code != .cancelled, error.code != .deadlineExceeded else {
        throw error
      }
      // The provider fails, but the old token still lives: better than none.
      let clocks = try outside().clocks
      let later = try await Background.run { () throws(AuthError) in clocks.now() }
      guard session.ending == nil, session.tokens.remaining(at: later) > 0 else { throw error }
      return session.tokens
    }
  }

  /// The refresh that suits the caller, in flight or new.
  private func refresh(_ session: UserSession, _ need: Refresh.Need) -> Promise<SessionTokens> {
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
    _ refresh: Refresh, for session: UserSession, note: (Refresh) -> Void
  ) -> Promise<SessionTokens> {
    note(refresh)
    let clocks = surroundings.current?.clocks ?? SystemClocks()
    let promise = session.tokenQueue.enqueue("refresh", timeout: timeouts.refresh, clocks: clocks) {
      () throws(AuthError) in
      if session.refreshes.next === refresh {
        session.refreshes.current = refresh
        session.refreshes.next = nil
      }
      defer { if session.refreshes.current === refresh { session.refreshes.current = nil } }
      return try await self.run(refresh, for: session)
    }
    refresh.promise = promise
    return promise
  }

  /// One refresh, in its turn.
  private func run(_ refresh: Refresh, for session: UserSession) async throws(AuthError) -> SessionTokens {
    try session.checkLive()
    let before = session.tokens
    try await adoptStored(session)
    let clocks = try outside().clocks
    let now = try await Background.run { () throws(AuthError) in clocks.now() }
    try session.checkLive()
    let isNeeded =
      switch refresh.need {
      case .ifDue: !session.tokens.isFresh(at: now)
      case .ahead: !session.tokens.isFresh(at: now) || session.tokens == before
      case .always: true
      }
    guard isNeeded else { return session.tokens }

    refresh.isSent = true
    let generation = session.generation
    do throws(AuthError) {
      let (response, received) = try await ask(ExchangeRefreshToken(refreshToken: session.tokens.refreshToken))
      try session.checkLive()
      guard response.userId.isExactly(session.uid) else {
        throw AuthError(.internalError, "the provider answered a refresh with another user's tokens")
      }
      // Late, and somebody else has refreshed since: what is there is newer.
      if Task.isCancelled && session.generation != generation { return session.tokens }
      apply(
        SessionTokens(
          idToken: response.idToken, refreshToken: response.refreshToken,
          lifetime: Double(response.expiresIn.value), received: received), to: session)
      return session.tokens
    } catch {
      try await note(error, for: session)
      throw error
    }
  }

  /// Takes what another process has stored since, and learns when it has ended the session.
  private func adoptStored(_ session: UserSession) async throws(AuthError) {
    let load = store.load()
    let stored: StoredSession?
    do throws(AuthError) {
      stored = try await wait(for: load, "load", timeout: timeouts.store)
    } catch {
      return log(.warning, "the stored session could not be read before a refresh: \(error)")
    }
    try session.checkLive()
    if store.failure == nil { meet(stored, with: session) }
    try session.checkLive()
  }

  /// Gives a session new tokens.
  func apply(_ tokens: SessionTokens, to session: UserSession) {
    session.tokens = tokens
    session.refreshes.failures = 0
    session.refreshes.pause = nil
    save(session)
    scheduleAutoRefresh()
  }

  /// Learns from a failed refresh: ends the session, or leaves the server alone for a while.
  private func note(_ error: AuthError, for session: UserSession) async throws(AuthError) {
    guard session.ending == nil else { return }
    if RefreshPolicy.isTerminal(error.code) { return end(session, because: error, erasing: true) }
    session.refreshes.failures += 1
    let failures = session.refreshes.failures
    let outside = try outside()
    let (unit, now) = try await Background.run { () throws(AuthError) in
      (outside.random.unit(), outside.clocks.now())
    }
    guard session.ending == nil, session.refreshes.failures == failures else { return }
    session.refreshes.pause = Pause(
      error: error, begin: now,
      seconds: RefreshPolicy.backOff(failures: failures, unit: unit, retryAfter: error.retryAfter),
      isServersWish: error.retryAfter != nil)
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
  func scheduleAutoRefresh() {
    autoRefresh?.cancel()
    autoRefresh = nil
    guard refreshesAutomatically, let session = state.session, let outside = surroundings.current else { return }
    let (tokens, pause) = (session.tokens, session.refreshes.pause)
    autoRefresh = Alarms.at(on: outside.clocks) {
      guard let pause else { return RefreshPolicy.alarm(for: tokens, unit: outside.random.unit()) }
      let end = pause.begin.advanced(by: max(pause.seconds, 1))
      return Alarm(boot: end.boot)
    } then: { [weak self, weak session] in
      guard let self, let session, self.state.session === session else { return }
      WorkQueue.start("autoRefresh") { await self.refreshAhead(session) }
    }
  }

  private func refreshAhead(_ session: UserSession) async {
    let refreshed = await outcome { () throws(AuthError) in try await self.refresh(session, .ahead).value() }
    guard case .failure(let error) = refreshed, session.ending == nil else { return scheduleAutoRefresh() }
    if error.code == .deadlineExceeded {
      _ = await outcome { () throws(AuthError) in try await note(error, for: session) }
    }
    let seconds = session.refreshes.pause.map { Int(max($0.seconds, 1).rounded(.up)) } ?? 1
    log(.warning, "a token could not be refreshed ahead of time, next attempt in \(seconds) s: \(error)")
    scheduleAutoRefresh()
  }
}
