import GatehouseCore
import GatehouseQueues
import IdentityToolkit

// The sessions of a user: Gatehouse's own; Firebase has none. Over HTTP only Gatehouse's server knows them.
extension User {
  /// The sign-ins of this user that can still be used, in the order in which they began, this one among them.
  ///
  /// - Throws: `.operationNotAllowed` for a backend that does not know sessions, …
  public func sessions(timeout: Duration? = nil) async throws(AuthError) -> [UserSessionInfo] {
    try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.sessionsInternal(session, timeout: timeout).map(UserSessionInfo.init)
    }
  }

  /// The sign-ins of this user that can still be used.
  public func sessions(
    timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<[UserSessionInfo]>
  ) {
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      try await engine.sessionsInternal(session, timeout: timeout).map(UserSessionInfo.init)
    }
  }

  /// Ends one of the user's sessions: it gets no more ID tokens, and the provider refuses those that it has. (A server
  /// that verifies tokens by itself takes them until they expire.) Ending a session that has ended is not an error.
  ///
  /// The session of this very user can be ended too: its next refresh learns of it.
  public func revokeSession(_ id: String, timeout: Duration? = nil) async throws(AuthError) {
    try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.revokeSessionInternal(id, of: session, timeout: timeout)
    }
  }

  /// Ends one of the user's sessions.
  public func revokeSession(
    _ id: String, timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      try await engine.revokeSessionInternal(id, of: session, timeout: timeout)
    }
  }
}

extension Auth {
  /// Ends every session of the current user, on every machine, and signs out here.
  ///
  /// When it throws the user is still signed in here, unless the error says that the session has ended.
  /// - Throws: `.nullUser` where no user is signed in, `.networkError`, …
  public func signOutEverywhere(timeout: Duration? = nil) async throws(AuthError) {
    try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.signOutEverywhereInternal(timeout: timeout)
    }
  }

  /// Ends every session of the current user, on every machine, and signs out here.
  public func signOutEverywhere(
    timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      try await engine.signOutEverywhereInternal(timeout: timeout)
    }
  }

  /// Has the provider take back Apple's tokens for the current user, as Apple asks before an account is deleted.
  ///
  /// - Parameters:
  ///   - authorizationCode: from a new sign-in with Apple.
  ///   - timeout: how long to wait; the configuration's `timeouts.call` where there is none.
  /// - Throws: `.nullUser` where no user is signed in; `.operationNotAllowed` for a provider that cannot, as the
  ///   embedded one.
  public func revokeToken(
    withAuthorizationCode authorizationCode: String, timeout: Duration? = nil
  ) async throws(AuthError) {
    let code = Secret(authorizationCode)
    try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.revokeTokenInternal(code, of: AuthProviderID.apple.rawValue, timeout: timeout)
    }
  }

  /// Has the provider take back Apple's tokens for the current user.
  public func revokeToken(
    withAuthorizationCode authorizationCode: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    let code = Secret(authorizationCode)
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      try await engine.revokeTokenInternal(code, of: AuthProviderID.apple.rawValue, timeout: timeout)
    }
  }
}
