package import GatehouseBase
import GatehouseQueues

// The users whose sessions the store keeps.
extension AuthEngine {
  /// Returns all stored sessions, the current one first.
  package func savedSessionsInternal(
    timeout: Duration?
  ) async throws(AuthError) -> (current: StoredSession?, others: [StoredSession]) {
    try await ask("savedUsers", timeout: timeout) { (turn) throws(AuthError) in
      let others = try await turn.others()
      return (try await turn.load(), others)
    }
  }

  /// Makes one of the stored users the current user.
  package func switchUserInternal(to uid: String, timeout: Duration?) async throws(AuthError) -> SignInResult {
    try await signIns.switchUser(to: uid, timeout: timeout)
  }

  /// Erases the session of a user other than the current one.
  package func forgetUserInternal(_ uid: String, timeout: Duration?) async throws(AuthError) {
    try await ask("forgetUser", timeout: timeout) { [keeper] (turn) throws(AuthError) in
      if let stored = try await turn.load(), stored.profile.uid.isExactly(uid) {
        // After a sign-out whose erasure failed, the store may still hold the session.
        guard keeper.store.isToGo(stored) else {
          throw AuthError(
            .operationNotAllowed, "this user is signed in, and nothing was erased; to end the session, use signOut()")
        }
        _ = try await turn.write(nil, if: .session(stored.session))
      }
      for stored in try await turn.others() where stored.profile.uid.isExactly(uid) {
        _ = try await turn.write(nil, if: .session(stored.session))
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
