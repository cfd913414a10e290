package import GatehouseBase

/// The state of an engine.
package enum EngineState: Sendable {
  /// The stored session is being read.
  case restoring
  /// The stored session exists, or may exist, and could not be read. Not the same as signed out.
  case unavailable(AuthError)
  /// No user is signed in. The error is the reason, if the provider or another process ended the session.
  case signedOut(AuthError?)
  /// This session is the current one.
  case signedIn(UserSession)
  /// `close()` was called.
  case closed

  var isSignedOut: Bool {
    if case .signedOut = self { true } else { false }
  }

  var isClosed: Bool {
    if case .closed = self { true } else { false }
  }

  package var session: UserSession? {
    guard case .signedIn(let session) = self else { return nil }
    return session
  }
}
