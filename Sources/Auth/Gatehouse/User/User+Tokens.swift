import GatehouseCore
import GatehouseQueues

// At most one refresh is in flight, and calls made meanwhile share its outcome. A forced refresh only accepts a request
// that was sent after the call. If the provider fails, an unforced call returns the current token until it expires.
extension User {
  /// Returns an ID token that servers accept: the current one while it is fresh, otherwise a new one.
  ///
  /// A token is fresh while more than five minutes, or a fifth of a shorter life, remain.
  /// - Parameters:
  ///   - forcingRefresh: whether to request a new token even if the current one is fresh.
  ///   - timeout: the maximum time to wait; `nil` for as long as the refresh takes, which `timeouts.refresh` limits.
  /// - Throws: `.nullUser`, `.sessionEnded`, `.userDisabled`, `.userTokenExpired`, … if only a new sign-in helps;
  ///   `.networkError`, `.tooManyRequests` with `retryAfter`, `.deadlineExceeded`, … if a retry may help.
  public func getIDToken(
    forcingRefresh: Bool = false, timeout: Duration? = nil
  ) async throws -> String {
    let now = engine.now
    return try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.getIDTokenInternal(session, forcingRefresh: forcingRefresh, now: now, timeout: timeout)
        .idToken.revealed
    } atHand: { [engine, session] in
      forcingRefresh ? nil : engine.freshTokensInternal(session, now: now)?.idToken.revealed
    }
  }

  /// Returns an ID token that servers accept.
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

  /// Returns an ID token together with its contents. Nothing is verified: verify tokens where you receive them.
  public func getIDTokenResult(
    forcingRefresh: Bool = false, timeout: Duration? = nil
  ) async throws -> AuthTokenResult {
    try AuthTokenResult(
      try await getIDToken(forcingRefresh: forcingRefresh, timeout: timeout), isEmulated: engine.isEmulated)
  }

  /// Returns an ID token together with its contents.
  public func getIDTokenResult(
    forcingRefresh: Bool = false, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<AuthTokenResult>
  ) {
    let (now, isEmulated) = (engine.now, engine.isEmulated)
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      let token = try await engine.getIDTokenInternal(
        session, forcingRefresh: forcingRefresh, now: now, timeout: timeout
      ).idToken.revealed
      return try await Background.run { () throws(AuthError) in try AuthTokenResult(token, isEmulated: isEmulated) }
    }
  }
}
