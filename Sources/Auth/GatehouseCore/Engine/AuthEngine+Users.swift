package import GatehouseBase
import GatehouseQueues

// The users whose sessions the store keeps.
extension AuthEngine {
  /// Returns all stored sessions.
  package func savedSessionsInternal(timeout: Duration?) async throws(AuthError) -> SessionShelf {
    try await ask("savedUsers", timeout: timeout) { (turn) throws(AuthError) in try await turn.sessions() }
  }

  /// Makes one of the stored users the current user.
  package func switchUserInternal(to uid: String, timeout: Duration?) async throws(AuthError) -> SignInResult {
    try await signIns.switchUser(to: uid, timeout: timeout)
  }

  /// Erases the session of a user other than the current one.
  package func forgetUserInternal(_ uid: String, timeout: Duration?) async throws(AuthError) {
    let tenant = signIns.tenantChoice
    try await ask("forgetUser", timeout: timeout) { (turn) throws(AuthError) in
      try await turn.change { (shelf) throws(AuthError) in
        for stored in shelf.all where stored.profile.uid.isExactly(uid) && tenant.admits(stored) {
          guard !stored.isVersion(of: shelf.current) else {
            throw AuthError(
              .operationNotAllowed, "this user is signed in, and nothing was erased; to end the session, use signOut()")
          }
          shelf.erase(stored.session)
        }
      }
    }
  }

  private func ask<Value: Sendable>(
    _ name: StaticString, timeout: Duration?,
    _ body: @escaping @WorkQueue @Sendable (StoreTurn) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    try admission.checkOpen()
    if Task.isCancelled { throw .cancelled }
    try keeper.store.queue.checkNotHeld()
    let turn = keeper.store.turn(name, body)
    let promise = Promise<Value, AuthError>()
    let task = WorkQueue.begin {
      promise.resolve(await outcome { () throws(AuthError) in try await turn.value() })
    }
    return try await calls.wait(for: promise, name, timeout: timeout) { task.cancel() }
  }
}
