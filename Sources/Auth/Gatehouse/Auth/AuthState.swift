import GatehouseCore

/// The state of an `Auth`.
public enum AuthState: Sendable, Hashable {
  /// The stored session is being read; it is not known yet whether a user is signed in.
  case restoring
  /// The stored session could not be read. Nothing was deleted; `ready()` tries again. A sign-in replaces a damaged
  /// session.
  case unavailable(AuthError)
  /// No user is signed in. The error is the reason, if the provider or another process ended the session.
  case signedOut(AuthError?)
  /// This user is signed in.
  case signedIn(User)
  /// `close()` was called.
  case closed

  init(_ state: EngineState, _ engine: AuthEngine) {
    self =
      switch state {
      case .restoring: .restoring
      case .unavailable(let error): .unavailable(error)
      case .signedOut(let reason): .signedOut(reason)
      case .signedIn(let session): .signedIn(User(session, engine))
      case .closed: .closed
      }
  }
}
