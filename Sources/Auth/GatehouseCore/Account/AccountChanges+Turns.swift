import GatehouseBase
import GatehouseQueues
import IdentityToolkit

// The steps of a change: its turn among the user's changes, its call with a fresh token, and the lookup after it.
extension AccountChanges {
  /// Runs a change in its turn, and then looks up the user's profile.
  func change(
    _ session: UserSession, _ name: StaticString, timeout: Duration?,
    _ send: @escaping @WorkQueue @Sendable (AccountChange) async throws(AuthError) -> Void
  ) async throws(AuthError) {
    try await inTurn(session, name, timeout: timeout) { (change) throws(AuthError) in
      defer { self.announce(change) }
      try await send(change)
      await self.untilStored(change)
      while try await !self.lookUp(session) {
        if Task.isCancelled { throw .cancelled }  // the deadline has passed: do not send the lookup again
      }
    }
  }

  /// Fetches the user's profile from the provider.
  ///
  /// Another answer may arrive meanwhile: another `Auth` stored one, or this lookup has exceeded its deadline and a
  /// later change has fetched one. The answer that was requested later is kept, because it includes all changes of
  /// both.
  /// - Returns: `false` if the clocks cannot tell which answer that is, so that the provider must be asked again.
  private func lookUp(_ session: UserSession) async throws(AuthError) -> Bool {
    let asked = try await environment.readClocks()
    let before = (session.profile, session.profileAsked)
    let response = try await withIDToken(of: session) { (idToken) throws(AuthError) in
      try await self.environment.ask(Lookup(idToken: idToken)).response
    }
    try session.checkLive()
    let profile = try response.profile(of: session.uid)
    if (session.profile, session.profileAsked) != before, let known = session.profileAsked {
      if known.isCertainlyAfter(asked) { return true }
      if !asked.isCertainlyAfter(known) { return false }
    }
    session.profileAsked = asked
    guard profile != session.profile else { return true }
    session.profile = profile
    keeper.save(session)
    return true
  }

  func inTurn(
    _ session: UserSession, _ name: StaticString, timeout: Duration?,
    _ operation: @escaping @WorkQueue @Sendable (AccountChange) async throws(AuthError) -> Void
  ) async throws(AuthError) {
    try admission.checkOpen()
    if Task.isCancelled { throw .cancelled }
    try session.checkLive()
    try session.profileQueue.checkNotHeld()
    let seconds = timeout?.inSeconds ?? environment.timeouts.call
    let change = AccountChange(of: session)
    let deadline = Deadline(max(seconds, environment.timeouts.call), on: environment.time)
    let promise = session.profileQueue.enqueue(name, deadline: deadline) { () throws(AuthError) in
      try await session.waits.untilKept()
      try change.checkWanted()
      do throws(AuthError) {
        try await operation(change)
      } catch {
        // Only a refresh can determine whether a refused token ends the session.
        if error.code == .userDisabled || error.code == .userNotFound, !change.isCredentialRefused {
          _ = await self.keeper.outlives(session, error, of: session.tokens)
        }
        throw error
      }
    }
    change.promise = promise
    promise.whenAbandoned { change.isAbandoned = true }
    let wait = session.waits.add(promise)
    defer { session.waits.remove(wait) }
    try await environment.wait(for: promise, name, timeout: seconds)
  }

  /// Makes a call with a fresh ID token. If the provider refuses the token, because it was revoked or has expired in
  /// transit, the call is made once more with the token of a forced refresh.
  func withIDToken<Value>(
    of session: UserSession, for change: AccountChange? = nil,
    _ call: @WorkQueue (Secret) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    let now = try await environment.readClocks()
    let fresh = try await tokens.freshTokens(session, forcingRefresh: false, now: now)
    try change?.checkWanted()
    do throws(AuthError) {
      return try await call(fresh.idToken)
    } catch {
      guard error.code.refusesToken, session.ending == nil else { throw error }
      if session.tokens == fresh { _ = try await tokens.freshTokens(session, forcingRefresh: true, now: now) }
      try change?.checkWanted()
      return try await call(session.tokens.idToken)
    }
  }
}
