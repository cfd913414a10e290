import GatehouseBase
import GatehouseQueues
import IdentityToolkit

extension TokenService {
  /// Returns a refresh that suits the caller, in flight or new.
  func refresh(_ session: UserSession, _ need: Refresh.Need) -> Promise<SessionTokens, AuthError> {
    // A refresh that has exceeded its deadline may still be in flight, but it can no longer be waited for.
    if let current = session.refreshes.current, let promise = current.promise, !promise.isResolved {
      if need < .always || !current.isSent {
        current.need = max(current.need, need)
        if need == .always { current.turn?.resolve(.success(())) }
        return promise
      }
      if let promise = session.refreshes.next?.promise, !promise.isResolved { return promise }
      return enqueue(Refresh(need), for: session) { session.refreshes.next = $0 }
    }
    return enqueue(Refresh(need), for: session) { session.refreshes.current = $0 }
  }

  private func enqueue(
    _ refresh: Refresh, for session: UserSession, note: (Refresh) -> Void
  ) -> Promise<SessionTokens, AuthError> {
    note(refresh)
    let deadline = Deadline(environment.timeouts.refresh, on: environment.time, from: .call)
    let promise = session.tokenQueue.enqueue("refresh", deadline: deadline) { () throws(AuthError) in
      if session.refreshes.next === refresh {
        session.refreshes.current = refresh
        session.refreshes.next = nil
      }
      defer { if session.refreshes.current === refresh { session.refreshes.current = nil } }
      return try await self.run(refresh, for: session)
    }
    refresh.promise = promise
    let wait = session.waits.add(promise)
    WorkQueue.begin {
      let result = await outcome { () throws(AuthError) in try await promise.value() }
      session.waits.remove(wait)
      guard case .failure(let error) = result, error.code == .deadlineExceeded else { return }
      self.endLease(of: session, refresh)  // its request may never end
      await self.note(error, for: session)
    }
    return promise
  }

  /// Runs a refresh, in its turn.
  private func run(_ refresh: Refresh, for session: UserSession) async throws(AuthError) -> SessionTokens {
    try await session.waits.untilKept()
    try await session.refreshes.spending?.value()
    let begun = try await untilAllowed(refresh, of: session)
    try session.checkLive()
    let before = session.tokens
    keeper.store.beginLease()
    refresh.hasLease = true
    defer { endLease(of: session, refresh) }
    try await keeper.lease(session, unless: { !self.isNeeded(refresh, session, before: before, at: begun) })
    let now = try await environment.readClocks()
    try session.checkLive()
    guard isNeeded(refresh, session, before: before, at: now) else { return session.tokens }
    if let pause = session.refreshes.pause, pause.isServersWish, let error = pause.error(at: now) { throw error }
    if Task.isCancelled { throw .cancelled }  // the deadline has passed: another refresh may be in flight
    refresh.isSent = true
    session.refreshes.recordRequest(at: now)
    return try await exchange(session)
  }

  /// Waits until the rate of requests allows a refresh that is not forced (`RefreshState.maximumRequests`). Returns the
  /// clocks' reading.
  private func untilAllowed(_ refresh: Refresh, of session: UserSession) async throws(AuthError) -> ClockReading {
    while true {
      let now = try await environment.readClocks()
      let seconds = session.refreshes.wait(at: now)
      guard refresh.need < .always, seconds > 0, session.ending == nil else { return now }
      let turn = Promise<Void, AuthError>()
      refresh.turn = turn
      let alarm = environment.time.after(seconds) { turn.resolve(.success(())) }
      defer { alarm.cancel() }
      try await turn.value()
    }
  }

  /// Whether a refresh must send a request, given the session's current tokens.
  private func isNeeded(
    _ refresh: Refresh, _ session: UserSession, before: SessionTokens, at now: ClockReading
  ) -> Bool {
    switch refresh.need {
    case .ifDue: !session.tokens.isFresh(at: now) || session.mayBeSpent
    case .ahead: !session.tokens.isFresh(at: now) || session.tokens == before || session.mayBeSpent
    case .always: true
    }
  }

  /// Exchanges the refresh token for new tokens. If the session gets better tokens meanwhile, from a change of the
  /// account here or in another process, the exchange is repeated with those, until the refresh's deadline.
  ///
  /// An answer after the refresh's deadline is used if the session still has the tokens that were sent. Otherwise the
  /// session has newer tokens, and the answer is not about those.
  ///
  /// If the provider rotates refresh tokens and the answer was lost, or does not come, the exchange is repeated once:
  /// the provider repeats its answer for a short time.
  private func exchange(_ session: UserSession) async throws(AuthError) -> SessionTokens {
    var isRepeated = false
    while true {
      let wasSent = session.mayBeSpent
      let noted = try await noteSpending(session)
      if let noted, session.rotation != noted { continue }  // another process has replaced it, or the token
      let (sent, revocations) = (session.tokens, session.revocations)
      do throws(AuthError) {
        let call = ExchangeRefreshToken(refreshToken: sent.refreshToken)
        let (response, received) = noted == nil ? try await environment.ask(call) : try await spend(call, of: session)
        let tokens = try SessionTokens(response, of: session.uid, received: received)
        if session.tokens == sent { keeper.keepLate(tokens, of: session) }
        try session.checkLive()
        // A change of the account revoked the sent token meanwhile, and with it the tokens of this answer.
        if session.revocations != revocations, !Task.isCancelled { continue }
        if session.tokens != sent, Task.isCancelled { return session.tokens }
        session.rotation = tokens.refreshToken == sent.refreshToken ? nil : TokenRotation()
        apply(tokens, to: session)
        return session.tokens
      } catch {
        guard session.ending == nil else { throw error }
        let error = wasSent && error.code.refusesToken ? error.afterLostAnswer : error
        // Another process may have better tokens, or may be about to get them: the store decides.
        if error.code.endsSession, await keeper.outlives(session, error, of: sent), !Task.isCancelled { continue }
        guard session.ending == nil, session.tokens == sent else { throw session.ending ?? error }
        // The missed deadline is already recorded; do not also record this late error.
        if Task.isCancelled { throw error }
        if noted != nil, !isRepeated, error.code.isLostAnswer, error.retryAfter == nil {
          isRepeated = true
          continue
        }
        if let noted, session.rotation == noted, !wasSent, error.code.isRefusal {
          session.rotation?.spending = nil
          keeper.save(session)
        }
        await note(error, for: session)
        throw error
      }
    }
  }

  /// Records a failed refresh, and starts a back-off.
  private func note(_ error: AuthError, for session: UserSession) async {
    guard session.ending == nil else { return }
    session.refreshes.failures += 1
    let failures = session.refreshes.failures
    let drawn = await outcome { () throws(AuthError) in
      try await environment.read { ($0.random.unit(), $0.clocks.now()) }
    }
    guard case .success(let (unit, now)) = drawn else { return }
    guard session.ending == nil, session.refreshes.failures == failures else { return }
    let pause = Pause(
      cause: error, begin: now,
      seconds: RefreshPolicy.backOff(
        failures: failures, unit: unit, retryAfter: error.retryAfter, isUnsettled: session.mayBeSpent),
      isServersWish: error.retryAfter != nil)
    session.refreshes.pause = pause
    guard refreshesAutomatically, !admission.isClosing, keeper.state.session === session else { return }
    let seconds = Int(max(pause.seconds, 1).rounded(.up))
    environment.log(.warning, "a token could not be refreshed ahead of time, next attempt in \(seconds) s: \(error)")
    schedule()
  }
}
