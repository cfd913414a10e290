import GatehouseBase
import GatehouseQueues

/// Keeps tokens fresh. At most one refresh of a session is in flight, and every waiting caller gets the outcome of one
/// that suits it.
///
///     asked for          a refresh is…     then
///     a fresh token      in any state      return the token, at once
///     a due token        none              start one
///     a due token        in flight         share it
///     a forced refresh   none              start one
///     a forced refresh   not sent yet      share it, and it must send a request
///     a forced refresh   sent              share the next one, which starts when this one has ended
///
/// A refresh that is not forced waits while the session has sent four requests in the last four seconds: a token that is
/// over when it comes makes no loop without a pause (`RefreshState.maximumRequests`).
@WorkQueue
final class TokenService {
  let admission: CallAdmission
  let keeper: SessionKeeper
  let environment: EngineEnvironment
  /// Fires when the current session's tokens should be refreshed automatically; there is at most one alarm.
  private var alarm: Alarms.Handle?
  private(set) var refreshesAutomatically: Bool

  nonisolated init(
    _ admission: CallAdmission, _ keeper: SessionKeeper, _ environment: EngineEnvironment, refreshesAutomatically: Bool
  ) {
    self.admission = admission
    self.keeper = keeper
    self.environment = environment
    self.refreshesAutomatically = refreshesAutomatically
  }

  deinit { alarm?.cancel() }

  /// Returns the session's tokens while they are fresh; `nil` if `getIDToken` must be called.
  func atHand(_ session: UserSession, now: ClockReading) -> SessionTokens? {
    guard admission.isOpen, session.ending == nil, session.tokens.isFresh(at: now), !session.mayBeSpent
    else { return nil }
    return session.tokens
  }

  /// Returns the tokens for a public call.
  ///
  /// - Parameter now: the clocks' reading when the call was made; clocks are not read on the work queue.
  func getIDToken(
    _ session: UserSession, forcingRefresh: Bool, now: ClockReading, timeout: Duration?
  ) async throws(AuthError) -> SessionTokens {
    try admission.checkOpen()
    return try await freshTokens(session, forcingRefresh: forcingRefresh, now: now, timeout: timeout)
  }

  /// Returns the tokens for a part of a call that was already admitted.
  func freshTokens(
    _ session: UserSession, forcingRefresh: Bool, now: ClockReading, timeout: Duration? = nil
  ) async throws(AuthError) -> SessionTokens {
    try session.checkLive()
    if !forcingRefresh {
      if session.tokens.isFresh(at: now) {
        settleSpending(of: session, now: now)
        return session.tokens
      }
      if let error = session.refreshes.pause?.error(at: now) {
        guard session.tokens.remaining(at: now) > 0 else { throw error }
        return session.tokens
      }
    }
    try session.tokenQueue.checkNotHeld()  // before a refresh begins that the caller could not wait for
    let promise = refresh(session, forcingRefresh ? .always : .ifDue)
    do throws(AuthError) {
      return try await environment.wait(for: promise, "getIDToken", timeout: timeout?.inSeconds)
    } catch {
      // A cancelled caller, or one whose own timeout came first, does not know whether the provider failed.
      guard !forcingRefresh, promise.isResolved, error.code != .cancelled, session.ending == nil else { throw error }
      // The provider fails, but the current token has not expired yet.
      let later = try await environment.readClocks()
      guard session.ending == nil, session.tokens.remaining(at: later) > 0 else { throw error }
      return session.tokens
    }
  }

  /// Gives a session new tokens. The promise resolves when the store has them.
  @discardableResult
  func apply(_ tokens: SessionTokens, to session: UserSession) -> Promise<Void, AuthError> {
    session.tokens = tokens
    session.refreshes.failures = 0
    session.refreshes.pause = nil
    defer { schedule() }
    return keeper.save(session)
  }
}

// MARK: - Automatic refreshes

extension TokenService {
  /// Enables or disables automatic refreshes.
  func setRefreshesAutomatically(_ isOn: Bool) {
    refreshesAutomatically = isOn
    schedule()
  }

  /// Sets the alarm for the current session's next refresh.
  ///
  /// - Parameter shortest: the minimum time until the alarm, in seconds.
  func schedule(after shortest: Double = 0) {
    cancelAlarm()
    guard refreshesAutomatically, !admission.isClosing, let session = keeper.state.session else { return }
    let (tokens, pause) = (session.tokens, session.refreshes.pause)
    alarm = environment.time.at { [dependencies = environment.dependencies] now in
      if let pause { return Alarm(boot: now.boot + max(pause.remaining(at: now), RefreshPolicy.shortestRetry)) }
      let unit = dependencies.current?.random.unit() ?? 0.5
      let alarm = RefreshPolicy.alarm(for: tokens, unit: unit, now: now)
      guard shortest > 0 else { return alarm }
      return Alarm(boot: max(alarm.boot, now.boot + shortest), wall: alarm.wall.map { max($0, now.wall + shortest) })
    } then: { [weak self, weak session] in
      guard let self, let session, self.keeper.state.session === session, !self.admission.isClosing else { return }
      self.alarm = nil
      let refresh = self.refresh(session, .ahead)
      WorkQueue.begin {
        _ = await outcome { () throws(AuthError) in try await refresh.value() }
        // New tokens set the next alarm, as do most failures. In all other cases, set one here.
        guard self.keeper.state.session === session, self.alarm == nil else { return }
        self.schedule(after: RefreshPolicy.shortestRetry)
      }
    }
  }

  /// Cancels the alarm. No automatic refresh begins until `schedule()` is called again.
  func cancelAlarm() {
    alarm?.cancel()
    alarm = nil
  }
}
