package import GatehouseBase
import GatehouseQueues
import IdentityToolkit

// Changes of an account: one at a time for each user, so that two at once lose nothing.
//
// A change that nobody waits for any more when it could be sent is not sent. One that was sent is never forgotten: it
// is applied when its answer comes, if the session still lives.
extension AuthEngine {
  /// Asks the provider what it knows of the user.
  package func reloadInternal(_ session: UserSession, timeout: Duration?) async throws(AuthError) {
    try await change(session, "reload", timeout: timeout) { _ in }
  }

  /// Changes the name or the picture. `nil` leaves a field alone; an inner `nil` empties it.
  package func updateProfileInternal(
    _ session: UserSession, displayName: String??, photoURL: String??, timeout: Duration?
  ) async throws(AuthError) {
    try await change(session, "commitChanges", timeout: timeout) { (change) throws(AuthError) in
      try await self.withIDToken(of: session, for: change) { (idToken) throws(AuthError) in
        var update = Update(idToken: idToken)
        update.displayName = displayName ?? nil
        update.photoUrl = photoURL ?? nil
        update.deleteAttribute =
          (displayName == .some(nil) ? [.displayName] : []) + (photoURL == .some(nil) ? [.photoURL] : [])
        let (response, received) = try await self.ask(update)
        try self.take(SessionTokens(response, of: session.uid, received: received), from: change)
      }
    }
  }

  /// The provider revokes the other sessions of the user; this one gets new tokens.
  package func updatePasswordInternal(
    _ session: UserSession, to password: Secret, timeout: Duration?
  ) async throws(AuthError) {
    try await change(session, "updatePassword", timeout: timeout) { (change) throws(AuthError) in
      try await self.withIDToken(of: session, for: change) { (idToken) throws(AuthError) in
        var update = Update(idToken: idToken)
        update.password = password
        let sent = update
        try await self.alone(change) { () throws(AuthError) in
          let (response, received) = try await self.ask(sent)
          return try SessionTokens(response, of: session.uid, received: received)
        }
      }
    }
  }

  /// Gives the account an address and a password to sign in with.
  package func linkInternal(
    _ session: UserSession, email: String, password: Secret, timeout: Duration?
  ) async throws(AuthError) {
    try session.checkLive()
    guard !session.profile.providers.contains(where: { $0.providerID.isExactly("password") }) else {
      throw AuthError(.providerAlreadyLinked, "this account has a password already; use updatePassword(to:)")
    }
    try await change(session, "link", timeout: timeout) { (change) throws(AuthError) in
      try await self.withIDToken(of: session, for: change) { (idToken) throws(AuthError) in
        try await self.alone(change) { () throws(AuthError) in
          let link = SignUp(email: email, password: password, linkingTo: idToken)
          let (response, received) = try await self.ask(link)
          return try SessionTokens(response, of: session.uid, received: received)
        }
      }
    }
  }

  /// Deletes the account, and ends the session.
  package func deleteInternal(_ session: UserSession, timeout: Duration?) async throws(AuthError) {
    try await inTurn(session, "delete", timeout: timeout) { (change) throws(AuthError) in
      try await self.withIDToken(of: session, for: change) { (idToken) throws(AuthError) in
        _ = try await self.ask(Delete(idToken: idToken))
      }
      self.endDeleted(session)
    }
  }
}

// MARK: - How a change goes

extension AuthEngine {
  /// A change in its turn, and then what the provider knows of the user.
  private func change(
    _ session: UserSession, _ name: StaticString, timeout: Duration?,
    _ send: @escaping @WorkQueue @Sendable (AccountChange) async throws(AuthError) -> Void
  ) async throws(AuthError) {
    try await inTurn(session, name, timeout: timeout) { (change) throws(AuthError) in
      try await send(change)
      await self.untilStored(change)
      while try await !self.lookUp(session) {
        if Task.isCancelled { throw .cancelled }  // its deadline has passed: it is not sent again
      }
    }
  }

  /// Asks the provider for the user's profile.
  ///
  /// Another answer may come meanwhile: another `Auth` stored it, or this look-up has met its deadline and a later
  /// change has told more. The one that was asked for later is kept: it has all changes of both.
  /// - Returns: false when the clocks do not tell which answer that is, so that the provider must be asked again.
  private func lookUp(_ session: UserSession) async throws(AuthError) -> Bool {
    let asked = try await readClocks()
    let before = (session.profile, session.profileAsked)
    let response = try await withIDToken(of: session) { (idToken) throws(AuthError) in
      try await self.ask(Lookup(idToken: idToken)).response
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
    save(session)
    return true
  }

  private func inTurn(
    _ session: UserSession, _ name: StaticString, timeout: Duration?,
    _ operation: @escaping @WorkQueue @Sendable (AccountChange) async throws(AuthError) -> Void
  ) async throws(AuthError) {
    try checkOpen()
    if Task.isCancelled { throw .cancelled }
    try session.checkLive()
    try session.profileQueue.checkNotHeld()
    let seconds = timeout?.inSeconds ?? timeouts.call
    let change = AccountChange(of: session)
    let deadline = Deadline(max(seconds, timeouts.call), on: time)
    let promise = session.profileQueue.enqueue(name, deadline: deadline) { () throws(AuthError) in
      try change.checkWanted()
      do throws(AuthError) {
        try await operation(change)
      } catch {
        // Of a token that was refused only a refresh can tell whether the session is over.
        if error.code == .userDisabled || error.code == .userNotFound {
          _ = await self.outlives(session, error, of: session.tokens)
        }
        throw error
      }
    }
    change.promise = promise
    promise.whenAbandoned { change.isAbandoned = true }
    try await wait(for: promise, name, timeout: seconds)
  }

  /// Makes a call with a fresh ID token. If the provider refuses the token, because it was revoked or has expired on
  /// the way, the call is made once more with the token of a forced refresh.
  private func withIDToken<Value>(
    of session: UserSession, for change: AccountChange? = nil,
    _ call: @WorkQueue (Secret) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    let now = try await readClocks()
    let tokens = try await freshTokens(session, forcingRefresh: false, now: now)
    try change?.checkWanted()
    do throws(AuthError) {
      return try await call(tokens.idToken)
    } catch {
      guard RefreshPolicy.refusesToken(error.code), session.ending == nil else { throw error }
      if session.tokens == tokens { _ = try await freshTokens(session, forcingRefresh: true, now: now) }
      try change?.checkWanted()
      return try await call(session.tokens.idToken)
    }
  }
}
