public import GatehouseBase
import GatehouseQueues

extension Agent {
  /// Returns a token of an account that lasts longer than `minValidity` on both clocks: the one at hand, or that of the
  /// fetch which the caller then waits for.
  ///
  /// - Parameters:
  ///   - name: the account's name.
  ///   - minValidity: how long the token must last.
  ///   - timeout: the maximum time to wait; `nil` for the configuration's `callTimeout`.
  /// - Throws: `.accountUnknown`; `.invalidArgument` if the account's tokens live no longer than `minValidity`; the
  ///   source's error, during a back-off with `retryAfter`; `.userTokenExpired`, `.userDisabled`, … if a person must
  ///   act, until `refresh` succeeds; `.deadlineExceeded`, `.cancelled`, `.closed`.
  public func token(
    of name: String, minValidity: Duration = .seconds(30), timeout: Duration? = nil
  ) async throws -> LentToken {
    try await token(of: name, minValidity: minValidity, timeout: timeout, replacing: nil)
  }

  /// Returns a token of an account that lasts longer than `minValidity`.
  ///
  /// - Parameter replacing: called on the work queue before a fetch begins that replaces a fresh token for this caller;
  ///   its error is thrown. A fetch that is due, or that others have begun, needs no permission.
  package func token(
    of name: String, minValidity: Duration, timeout: Duration? = nil, replacing: TokenReplacing?
  ) async throws -> LentToken {
    let now = engine.environment.now
    let seconds = max(minValidity.inSeconds, 0)
    if let token = engine.atHand.token(of: name, lasting: seconds, at: now) { return token }
    return try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.tokenInternal(name, minValidity: seconds, at: now, timeout: timeout, replacing: replacing)
    }
  }

  /// Returns a token of an account that lasts longer than `minValidity`.
  public func token(
    of name: String, minValidity: Duration = .seconds(30), timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<LentToken>
  ) {
    let now = engine.environment.now
    let seconds = max(minValidity.inSeconds, 0)
    deliver(to: completion) { [engine] () throws(AuthError) in
      try await engine.tokenInternal(name, minValidity: seconds, at: now, timeout: timeout)
    }
  }

  /// Fetches a new token of an account, even if the one at hand is fresh, and returns it. Ends a wait for a person:
  /// call it after a new sign-in. A fetch that begins after this call serves it; callers who wait share one.
  ///
  /// - Parameters:
  ///   - name: the account's name.
  ///   - timeout: the maximum time to wait; `nil` for the configuration's `callTimeout`.
  /// - Throws: as `token(of:minValidity:timeout:)`. A back-off is ignored, unless the issuer has asked for it.
  @discardableResult
  public func refresh(_ name: String, timeout: Duration? = nil) async throws -> LentToken {
    try await refresh(name, timeout: timeout, replacing: nil)
  }

  /// Fetches a new token of an account, and returns it.
  ///
  /// - Parameter replacing: called on the work queue before a fetch begins for this caller; its error is thrown. A
  ///   fetch that others have begun needs no permission.
  @discardableResult
  package func refresh(
    _ name: String, timeout: Duration? = nil, replacing: TokenReplacing?
  ) async throws -> LentToken {
    let now = engine.environment.now
    return try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.refreshInternal(name, at: now, timeout: timeout, replacing: replacing)
    }
  }

  /// Fetches a new token of an account, and returns it.
  public func refresh(
    _ name: String, timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<LentToken>
  ) {
    let now = engine.environment.now
    deliver(to: completion) { [engine] () throws(AuthError) in
      try await engine.refreshInternal(name, at: now, timeout: timeout)
    }
  }
}
