import GatehouseBase
import GatehouseQueues
import IdentityToolkit

// The sessions of an account, including this one.
extension AccountChanges {
  /// Returns the active sessions.
  func sessions(of session: UserSession, timeout: Duration?) async throws(AuthError) -> [ListSessions.Session] {
    try await ask(session, "sessions", timeout: timeout) { (idToken) throws(AuthError) in
      try await self.environment.ask(ListSessions(idToken: idToken)).response.sessions
    }
  }

  /// Ends one of the user's sessions, possibly this one.
  func revokeSession(_ id: String, of session: UserSession, timeout: Duration?) async throws(AuthError) {
    try await ask(session, "revokeSession", timeout: timeout) { (idToken) throws(AuthError) in
      _ = try await self.environment.ask(RevokeSessions(idToken: idToken, sessionId: id))
    }
  }

  /// Ends all sessions of the user, and then this one here.
  func revokeAllSessions(of session: UserSession, timeout: Duration?) async throws(AuthError) {
    try await inTurn(session, "signOutEverywhere", timeout: timeout) { (change) throws(AuthError) in
      try await self.withIDToken(of: session, for: change) { (idToken) throws(AuthError) in
        _ = try await self.environment.ask(RevokeSessions(idToken: idToken))
      }
      change.promise?.resolve(.success(()))  // first: the end of the session ends every other wait
      self.keeper.end(session, because: AuthError(.nullUser, "the user signed out everywhere; sign in again"))
    }
  }

  /// Tells the provider to revoke a token of an identity provider.
  func revoke(_ token: Secret, of providerID: String, by session: UserSession, timeout: Duration?)
    async throws(AuthError)
  {
    try await ask(session, "revokeToken", timeout: timeout) { (idToken) throws(AuthError) in
      _ = try await self.environment.ask(
        RevokeToken(idToken: idToken, providerId: providerID, token: token, tokenType: .code))
    }
  }
}
