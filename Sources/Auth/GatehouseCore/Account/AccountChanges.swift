import GatehouseBase
import GatehouseQueues
import IdentityToolkit

/// Changes accounts: one change at a time for each user, so that two at once lose nothing.
///
/// A change whose caller has left before it could be sent is not sent. One that was sent is never forgotten: it is
/// applied when its answer comes, if the session still lives.
@WorkQueue
final class AccountChanges {
  let admission: CallAdmission
  let keeper: SessionKeeper
  let tokens: TokenService
  let environment: EngineEnvironment

  nonisolated init(
    _ admission: CallAdmission, _ keeper: SessionKeeper, _ tokens: TokenService, _ environment: EngineEnvironment
  ) {
    self.admission = admission
    self.keeper = keeper
    self.tokens = tokens
    self.environment = environment
  }

  /// Asks the provider for the user's profile.
  func reload(_ session: UserSession, timeout: Duration?) async throws(AuthError) {
    try await change(session, "reload", timeout: timeout) { _ in }
  }

  /// Asks the provider for the profile, without a caller that waits. A failure is logged.
  func reloadInBackground(_ session: UserSession) {
    WorkQueue.start("ask again") {
      let result = await outcome { () throws(AuthError) in try await self.reload(session, timeout: nil) }
      guard case .failure(let error) = result else { return }
      self.environment.log(.warning, "the profile could not be asked for again: \(error)")
    }
  }

  /// Changes the name or the picture. `nil` leaves a field alone; an inner `nil` empties it.
  func updateProfile(
    _ session: UserSession, displayName: String??, photoURL: String??, timeout: Duration?
  ) async throws(AuthError) {
    try await change(session, "commitChanges", timeout: timeout) { (change) throws(AuthError) in
      try await self.withIDToken(of: session, for: change) { (idToken) throws(AuthError) in
        var update = Update(idToken: idToken)
        update.displayName = displayName ?? nil
        update.photoUrl = photoURL ?? nil
        update.deleteAttribute =
          (displayName == .some(nil) ? [.displayName] : []) + (photoURL == .some(nil) ? [.photoURL] : [])
        let (response, received) = try await self.environment.ask(update)
        try self.take(SessionTokens(response, of: session.uid, received: received), from: change)
      }
    }
  }

  /// The provider revokes the other sessions of the user; this one gets new tokens.
  func updatePassword(_ session: UserSession, to password: Secret, timeout: Duration?) async throws(AuthError) {
    try await change(session, "updatePassword", timeout: timeout) { (change) throws(AuthError) in
      try await self.withIDToken(of: session, for: change) { (idToken) throws(AuthError) in
        var update = Update(idToken: idToken)
        update.password = password
        let sent = update
        try await self.alone(change) { () throws(AuthError) in
          let (response, received) = try await self.environment.ask(sent)
          return try SessionTokens(response, of: session.uid, received: received)
        }
      }
    }
  }

  /// Gives the account an address and a password to sign in with.
  func link(
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
          let (response, received) = try await self.environment.ask(link)
          return try SessionTokens(response, of: session.uid, received: received)
        }
      }
    }
  }

  /// Deletes the account, and ends the session.
  func delete(_ session: UserSession, timeout: Duration?) async throws(AuthError) {
    try await inTurn(session, "delete", timeout: timeout) { (change) throws(AuthError) in
      try await self.withIDToken(of: session, for: change) { (idToken) throws(AuthError) in
        _ = try await self.environment.ask(Delete(idToken: idToken))
      }
      self.keeper.end(session, because: AuthError(.nullUser, "the account was deleted"))
    }
  }
}
