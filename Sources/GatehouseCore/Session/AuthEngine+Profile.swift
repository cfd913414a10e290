package import GatehouseBase
import GatehouseQueues
import IdentityToolkit

// Changes of an account: one at a time for each user, so that two at once lose nothing.
//
// A change that was sent is never forgotten because nobody waits any more: it is applied when its answer comes, if the
// session still lives.
extension AuthEngine {
  /// Asks the provider what it knows of the user.
  package func reloadInternal(
    _ session: UserSession, now: ClockReading, timeout: Duration?
  ) async throws(AuthError) {
    try await change(session, "reload", now: now, timeout: timeout) { _ in }
  }

  /// Changes the name or the picture. `nil` leaves a field alone; an inner `nil` empties it.
  package func updateProfileInternal(
    _ session: UserSession, displayName: String??, photoURL: String??, now: ClockReading, timeout: Duration?
  ) async throws(AuthError) {
    try await change(session, "commitChanges", now: now, timeout: timeout) { (idToken) throws(AuthError) in
      var update = Update(idToken: idToken)
      update.displayName = displayName ?? nil
      update.photoUrl = photoURL ?? nil
      update.deleteAttribute =
        (displayName == .some(nil) ? [.displayName] : []) + (photoURL == .some(nil) ? [.photoURL] : [])
      try await self.send(update, for: session)
    }
  }

  /// The provider revokes the other sessions of the user; this one gets new tokens.
  package func updatePasswordInternal(
    _ session: UserSession, to password: Secret, now: ClockReading, timeout: Duration?
  ) async throws(AuthError) {
    try await change(session, "updatePassword", now: now, timeout: timeout) { (idToken) throws(AuthError) in
      var update = Update(idToken: idToken)
      update.password = password
      let changed = update
      try await self.alone(session, "updatePassword") { () throws(AuthError) in
        try await self.send(changed, for: session)
      }
    }
  }

  /// Gives the account an address and a password to sign in with.
  package func linkInternal(
    _ session: UserSession, email: String, password: Secret, now: ClockReading, timeout: Duration?
  ) async throws(AuthError) {
    guard !session.profile.providers.contains(where: { $0.providerID.isExactly("password") }) else {
      throw AuthError(.providerAlreadyLinked, "this account has a password already; use updatePassword(to:)")
    }
    try await change(session, "link", now: now, timeout: timeout) { (idToken) throws(AuthError) in
      try await self.alone(session, "link") { () throws(AuthError) in
        let answer = try await self.ask(SignUp(email: email, password: password, linkingTo: idToken))
        try session.checkLive()
        guard answer.response.localId.isExactly(session.uid) else {
          throw AuthError(.internalError, "the provider answered a link with another user's tokens")
        }
        self.apply(
          SessionTokens(
            idToken: answer.response.idToken, refreshToken: answer.response.refreshToken,
            lifetime: Double(answer.response.expiresIn.value), received: answer.received), to: session)
      }
    }
  }

  /// Deletes the account, and ends the session.
  package func deleteInternal(
    _ session: UserSession, now: ClockReading, timeout: Duration?
  ) async throws(AuthError) {
    try await inTurn(session, "delete", timeout: timeout) { () throws(AuthError) in
      let tokens = try await self.getIDTokenInternal(session, forcingRefresh: false, now: now, timeout: nil)
      _ = try await self.ask(Delete(idToken: tokens.idToken))
      self.end(session, because: AuthError(.nullUser, "the account was deleted"), erasing: true)
    }
  }

  // MARK: -

  /// A change in its turn: a fresh token, the change, and then what the provider knows of the user.
  private func change(
    _ session: UserSession, _ name: StaticString, now: ClockReading, timeout: Duration?,
    _ send: @escaping @WorkQueue @Sendable (Secret) async throws(AuthError) -> Void
  ) async throws(AuthError) {
    try await inTurn(session, name, timeout: timeout) { () throws(AuthError) in
      let before = try await self.getIDTokenInternal(session, forcingRefresh: false, now: now, timeout: nil)
      try await send(before.idToken)
      try session.checkLive()
      let account = try await self.ask(Lookup(idToken: session.tokens.idToken)).response.users?.first
      try session.checkLive()
      if Task.isCancelled { throw .cancelled }
      guard let profile = account?.profile, profile.uid.isExactly(session.uid) else {
        throw AuthError(.internalError, "the provider told of another user than the one who is signed in")
      }
      guard profile != session.profile else { return }
      session.profile = profile
      self.save(session)
    }
  }

  private func send(_ update: Update, for session: UserSession) async throws(AuthError) {
    let (response, received) = try await ask(update)
    try session.checkLive()
    guard let idToken = response.idToken, let refreshToken = response.refreshToken else { return }
    apply(
      SessionTokens(
        idToken: idToken, refreshToken: refreshToken, lifetime: Double(response.expiresIn?.value ?? 0),
        received: received), to: session)
  }

  /// A change that revokes the session's tokens and brings new ones takes its turn among the refreshes: a refresh with
  /// the token that the change has just revoked would end the session.
  private func alone(
    _ session: UserSession, _ name: StaticString,
    _ operation: @escaping @WorkQueue @Sendable () async throws(AuthError) -> Void
  ) async throws(AuthError) {
    try await session.tokenQueue.run(name, timeout: timeouts.call, clocks: try outside().clocks, operation)
  }

  private func inTurn(
    _ session: UserSession, _ name: StaticString, timeout: Duration?,
    _ operation: @escaping @WorkQueue @Sendable () async throws(AuthError) -> Void
  ) async throws(AuthError) {
    try checkOpen()
    try session.checkLive()
    let promise = session.profileQueue.enqueue(name, timeout: timeouts.call, clocks: try outside().clocks, operation)
    do throws(AuthError) {
      try await wait(for: promise, name, timeout: timeout?.inSeconds)
    } catch {
      if RefreshPolicy.isTerminal(error.code) { end(session, because: error, erasing: true) }
      throw error
    }
  }
}
