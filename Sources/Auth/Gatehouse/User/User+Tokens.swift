import GatehouseCore
import GatehouseQueues

// One refresh is in flight at most, and calls made meanwhile share its outcome. A forced refresh is served only by a
// request that was sent after the call. When the provider fails, an unforced call returns the old token while
// it lives.
extension User {
  /// An ID token that servers accept: the one at hand while it is fresh, else a new one.
  ///
  /// A token is fresh while more than five minutes, or a fifth of a shorter life, remain.
  /// - Parameters:
  ///   - forcingRefresh: whether to ask for a new token though the one at hand is fresh.
  ///   - timeout: how long to wait; without one as long as the refresh takes, which `timeouts.refresh` ends.
  /// - Throws: `.nullUser`, `.sessionEnded`, `.userDisabled`, `.userTokenExpired`, … when only a new sign-in helps;
  ///   `.networkError`, `.tooManyRequests` with `retryAfter`, `.deadlineExceeded`, … when trying again may.
  public func getIDToken(
    forcingRefresh: Bool = false, timeout: Duration? = nil
  ) async throws(AuthError) -> String {
    let now = engine.now
    return try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.getIDTokenInternal(session, forcingRefresh: forcingRefresh, now: now, timeout: timeout)
        .idToken.revealed
    } atHand: { [engine, session] in
      forcingRefresh ? nil : engine.freshTokensInternal(session, now: now)?.idToken.revealed
    }
  }

  /// An ID token that servers accept.
  public func getIDToken(
    forcingRefresh: Bool = false, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<String>
  ) {
    let now = engine.now
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      try await engine.getIDTokenInternal(session, forcingRefresh: forcingRefresh, now: now, timeout: timeout)
        .idToken.revealed
    }
  }

  /// An ID token together with what it says. Nothing is verified: verify tokens where you receive them.
  public func getIDTokenResult(
    forcingRefresh: Bool = false, timeout: Duration? = nil
  ) async throws(AuthError) -> AuthTokenResult {
    try AuthTokenResult(try await getIDToken(forcingRefresh: forcingRefresh, timeout: timeout))
  }

  /// An ID token together with what it says.
  public func getIDTokenResult(
    forcingRefresh: Bool = false, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<AuthTokenResult>
  ) {
    let now = engine.now
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      let token = try await engine.getIDTokenInternal(
        session, forcingRefresh: forcingRefresh, now: now, timeout: timeout
      ).idToken.revealed
      return try await Background.run { () throws(AuthError) in try AuthTokenResult(token) }
    }
  }
}
