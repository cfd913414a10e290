import GatehouseCore
import GatehouseQueues
import IdentityToolkit

// The sessions of a user. Specific to Gatehouse; Firebase has no such calls. Over HTTP, only Gatehouse's server
// supports them.
extension User {
  /// The active sessions of this user, this one included, in the order of their sign-ins.
  ///
  /// - Throws: `.operationNotAllowed` for a backend without sessions, …
  public func sessions(timeout: Duration? = nil) async throws -> [UserSessionInfo] {
    try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.sessionsInternal(session, timeout: timeout).map(UserSessionInfo.init)
    }
  }

  /// The active sessions of this user.
  public func sessions(
    timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<[UserSessionInfo]>
  ) {
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      try await engine.sessionsInternal(session, timeout: timeout).map(UserSessionInfo.init)
    }
  }

  /// Ends one of the user's sessions: it receives no more ID tokens, and the provider refuses those that it has. (A
  /// server that verifies tokens by itself accepts them until they expire.) Ending a session that has already ended is
  /// not an error.
  ///
  /// This user's own session can be ended too; its next refresh then fails.
  public func revokeSession(_ id: String, timeout: Duration? = nil) async throws {
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
  /// If the call throws, the user is still signed in here, unless the error says that the session has ended.
  /// - Throws: `.nullUser` if no user is signed in, `.networkError`, …
  public func signOutEverywhere(timeout: Duration? = nil) async throws {
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

  /// Tells the provider to revoke Apple's tokens for the current user, as Apple requires before an account is deleted.
  ///
  /// - Parameters:
  ///   - authorizationCode: from a new sign-in with Apple.
  ///   - timeout: the maximum time to wait; `nil` for the configuration's `timeouts.call`.
  /// - Throws: `.nullUser` if no user is signed in; `.operationNotAllowed` for a provider that cannot revoke them, such
  ///   as the embedded one.
  public func revokeToken(
    withAuthorizationCode authorizationCode: String, timeout: Duration? = nil
  ) async throws {
    let code = Secret(authorizationCode)
    try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.revokeTokenInternal(code, of: AuthProviderID.apple.rawValue, timeout: timeout)
    }
  }

  /// Tells the provider to revoke Apple's tokens for the current user.
  @_disfavoredOverload
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
