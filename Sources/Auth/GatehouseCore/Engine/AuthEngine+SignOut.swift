package import GatehouseBase
import GatehouseQueues

extension AuthEngine {
  /// Ends the session in memory at once, and puts its erasure in the store's queue. Never waits for a refresh.
  package func signOutInternal() throws(AuthError) {
    try checkOpen()
    let condition: StoreCondition?
    switch state {
    case .signedIn(let session): condition = .session(session.id)
    case .restoring: condition = .always
    // A damaged file holds no usable session. One that only cannot be read may hold a good one.
    case .unavailable(let error) where error.code == .storeDamaged: condition = .always
    case .unavailable(let error): throw error
    case .signedOut, .closed: condition = nil
    }
    epoch += 1
    guard let condition else { return }
    settle(.signedOut(nil), ending: AuthError(.nullUser, "the user signed out; sign in again"))
    erase(condition)
  }

  /// Ends a session whose account the user has deleted.
  func endDeleted(_ session: UserSession) {
    guard state.session === session else { return }
    settle(.signedOut(nil), ending: AuthError(.nullUser, "the account was deleted"))
    erase(.session(session.id))
  }

  /// Puts an erasure in the store's queue; `flush()` tries again what failed.
  private func erase(_ condition: StoreCondition) {
    store.erase(if: condition) { result in
      if case .failure(let error) = result {
        self.log(.error, "the ended session could not be erased from the store: \(error)")
      }
    }
  }
}
