package import GatehouseBase

/// Where the engine stands: states that cannot contradict each other.
package enum EngineState: Sendable {
  /// The stored session is being read.
  case restoring
  /// The stored session exists, or may, and could not be read. Not the same as signed out.
  case unavailable(AuthError)
  /// Nobody is signed in; with the reason where the provider, or another process, ended the session.
  case signedOut(AuthError?)
  case signedIn(UserSession)
  /// `close()` was called.
  case closed

  package var session: UserSession? {
    guard case .signedIn(let session) = self else { return nil }
    return session
  }
}
