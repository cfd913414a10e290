package import GatehouseBase

// What the public synchronous calls read and change: quick, and only here.
extension AuthEngine {
  package func stateInternal() -> EngineState { state }
  package func currentSessionInternal() -> UserSession? { state.session }
  package func profileInternal(_ session: UserSession) -> UserProfile { session.profile }
  package func refreshTokenInternal(_ session: UserSession) -> Secret? {
    session.ending == nil ? session.tokens.refreshToken : nil
  }
  package func addListenerInternal(_ registration: ListenerRegistration) {
    if isClosing { return registration.end() }
    listeners.add(registration)
  }
  package func removeListenerInternal(_ registration: ListenerRegistration) { listeners.remove(registration) }
  package func listenerCountInternal() -> Int { listeners.count }
  package func refreshesAutomaticallyInternal() -> Bool { refreshesAutomatically }
}
