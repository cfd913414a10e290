package import GatehouseBase
package import IdentityToolkit

// The sessions of an account.
extension AuthEngine {
  /// Returns the active sessions.
  package func sessionsInternal(
    _ session: UserSession, timeout: Duration?
  ) async throws(AuthError) -> [ListSessions.Session] {
    try await account.sessions(of: session, timeout: timeout)
  }

  /// Ends one session.
  package func revokeSessionInternal(
    _ id: String, of session: UserSession, timeout: Duration?
  ) async throws(AuthError) {
    try await account.revokeSession(id, of: session, timeout: timeout)
  }

  /// Ends all sessions of the current user, including this one.
  package func signOutEverywhereInternal(timeout: Duration?) async throws(AuthError) {
    try await account.revokeAllSessions(of: try currentSession(), timeout: timeout)
  }

  /// Tells the provider to revoke a token of an identity provider.
  package func revokeTokenInternal(
    _ token: Secret, of providerID: String, timeout: Duration?
  ) async throws(AuthError) {
    try await account.revoke(token, of: providerID, by: try currentSession(), timeout: timeout)
  }

  private func currentSession() throws(AuthError) -> UserSession {
    try admission.checkOpen()
    guard let session = keeper.state.session else { throw AuthError(.nullUser, "no user is signed in") }
    return session
  }
}
