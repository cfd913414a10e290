import GatehouseBase
import GatehouseQueues
import IdentityToolkit

/// Changes accounts, one change at a time for each user, so that concurrent changes lose nothing.
///
/// A change whose caller leaves before it was sent is not sent. A change that was sent is always tracked: it is applied
/// when its answer arrives, if the session is still alive.
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

  /// Fetches the user's profile from the provider.
  func reload(_ session: UserSession, timeout: Duration?) async throws(AuthError) {
    try await change(session, "reload", timeout: timeout) { _ in }
  }

  /// Fetches the profile without a waiting caller. A failure is logged.
  func reloadInBackground(_ session: UserSession) {
    WorkQueue.start("ask again") {
      let result = await outcome { () throws(AuthError) in try await self.reload(session, timeout: nil) }
      guard case .failure(let error) = result else { return }
      self.environment.log(.warning, "the profile could not be asked for again: \(error)")
    }
  }

  /// Changes the name or the picture. `nil` keeps a field; an inner `nil` removes it.
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

  /// Changes the password. The provider revokes the user's other sessions; this one gets new tokens.
  func updatePassword(_ session: UserSession, to password: Secret, timeout: Duration?) async throws(AuthError) {
    try await updateAlone(session, "updatePassword", timeout: timeout) { $0.password = password }
  }

  /// Changes the address. The provider revokes the user's other sessions; this one gets new tokens.
  func updateEmail(_ session: UserSession, to email: String, timeout: Duration?) async throws(AuthError) {
    try await updateAlone(session, "updateEmail", timeout: timeout) { $0.email = email }
  }

  /// Removes a way to sign in from the account. The provider decides whether that revokes tokens.
  func unlink(_ session: UserSession, from providerID: String, timeout: Duration?) async throws(AuthError) {
    try session.checkLive()
    guard session.profile.providers.contains(where: { $0.providerID.isExactly(providerID) }) else {
      throw AuthError(.noSuchProvider, "this account does not sign in by \(providerID.printable())")
    }
    try await updateAlone(session, "unlink", timeout: timeout) { $0.deleteProvider = [providerID] }
  }

  private func updateAlone(
    _ session: UserSession, _ name: StaticString, timeout: Duration?,
    _ set: @escaping @Sendable (inout Update) -> Void
  ) async throws(AuthError) {
    try await change(session, name, timeout: timeout) { (change) throws(AuthError) in
      try await self.withIDToken(of: session, for: change) { (idToken) throws(AuthError) in
        var update = Update(idToken: idToken)
        set(&update)
        let sent = update
        try await self.alone(change) { () throws(AuthError) in
          let (response, received) = try await self.environment.ask(sent)
          return try SessionTokens(response, of: session.uid, received: received)
        }
      }
    }
  }

  /// Adds a way to sign in to the account.
  func link(
    _ session: UserSession, with credential: Credential, timeout: Duration?
  ) async throws(AuthError) -> IdentityDetails? {
    try session.checkLive()
    guard !session.profile.providers.contains(where: { $0.providerID.isExactly(credential.providerID) }) else {
      throw .alreadyLinked(credential.providerID)
    }
    return try await present(credential, by: session, "link", timeout: timeout) { .link($0) }
  }

  /// Sets the account's phone, replacing an existing one.
  func updatePhoneNumber(_ session: UserSession, to proof: PhoneProof, timeout: Duration?) async throws(AuthError) {
    _ = try await present(.phone(proof), by: session, "updatePhoneNumber", timeout: timeout) { .update($0) }
  }

  /// Presents a new way to sign in. The provider decides whether that revokes tokens.
  private func present(
    _ credential: Credential, by session: UserSession, _ name: StaticString, timeout: Duration?,
    for use: @escaping @Sendable (Secret) -> CredentialUse
  ) async throws(AuthError) -> IdentityDetails? {
    let details = Promise<IdentityDetails?, AuthError>()
    try await change(session, name, timeout: timeout) { (change) throws(AuthError) in
      try await self.withIDToken(of: session, for: change) { (idToken) throws(AuthError) in
        try await self.alone(change) { () throws(AuthError) in
          let answer = try await self.environment.present(credential, for: use(idToken))
          details.resolve(.success(answer.details))
          return try SessionTokens(answer.response, of: session.uid, received: answer.received)
        }
      }
    }
    return try await details.value()
  }

  /// Proves the user's identity again, and continues with the tokens of that sign-in.
  func reauthenticate(
    _ session: UserSession, with credential: Credential, timeout: Duration?
  ) async throws(AuthError) -> IdentityDetails? {
    let details = Promise<IdentityDetails?, AuthError>()
    try await signInAgain(session, timeout: timeout) { () throws(AuthError) in
      let answer = try await self.answer(to: credential, of: session)
      details.resolve(.success(answer.details))
      return try SessionTokens(answer.response, of: session.uid, received: answer.received)
    }
    return try await details.value()
  }

  /// Completes a reauthentication that waits for a second factor.
  func reauthenticate(
    _ session: UserSession, _ pending: Secret, with proof: SecondFactorProof, timeout: Duration?
  ) async throws(AuthError) {
    try await signInAgain(session, timeout: timeout) { () throws(AuthError) in
      let (response, received) = try await self.environment.ask(proof.call(pending).of(session.tenantID))
      let (tokens, uid) = try await response.tokens(received: received)
      guard uid.isExactly(session.uid) else { throw .otherUser }
      return tokens
    }
  }

  /// Runs a reauthentication in its turn among the refreshes: a refresh sent before it would bring tokens of the older
  /// sign-in. It needs no mark in the store, because it revokes nothing.
  private func signInAgain(
    _ session: UserSession, timeout: Duration?,
    _ send: @escaping @WorkQueue @Sendable () async throws(AuthError) -> SessionTokens
  ) async throws(AuthError) {
    try await change(session, "reauthenticate", timeout: timeout) { (change) throws(AuthError) in
      let deadline = Deadline(self.environment.timeouts.call, on: self.environment.time)
      try await session.tokenQueue.run("reauthenticate", deadline: deadline) { () throws(AuthError) in
        try change.checkWanted()
        let revocations = session.revocations
        let tokens: SessionTokens
        do throws(AuthError) {
          tokens = try await send()
        } catch {
          change.isCredentialRefused = true
          throw error
        }
        // A later change has already brought tokens, of a sign-in that is not older than this one.
        guard session.revocations == revocations else { return try session.checkLive() }
        try self.take(tokens, from: change)
      }
    }
  }

  private func answer(to credential: Credential, of session: UserSession) async throws(AuthError) -> CredentialAnswer {
    let answer: CredentialAnswer
    do throws(AuthError) {
      answer = try await environment.present(credential, for: .reauthentication(tenantID: session.tenantID))
    } catch {
      // This error is about the credential's account, not the session's.
      throw error.code == .userNotFound ? .otherUser : error
    }
    guard answer.response.localId.isExactly(session.uid) else { throw .otherUser }
    return answer
  }

  /// Sends a message about the account, in its turn among the changes.
  func send(_ call: SendOobCode, for session: UserSession, timeout: Duration?) async throws(AuthError) {
    try await inTurn(session, "send a message", timeout: timeout) { (change) throws(AuthError) in
      try await self.withIDToken(of: session, for: change) { (idToken) throws(AuthError) in
        var call = call
        call.idToken = idToken
        _ = try await self.environment.ask(call)
      }
    }
  }

  /// Deletes the account, and ends the session.
  func delete(_ session: UserSession, timeout: Duration?) async throws(AuthError) {
    try await inTurn(session, "delete", timeout: timeout) { (change) throws(AuthError) in
      try await self.withIDToken(of: session, for: change) { (idToken) throws(AuthError) in
        _ = try await self.environment.ask(Delete(idToken: idToken))
      }
      change.promise?.resolve(.success(()))  // first: the end of the session ends every other wait
      self.keeper.end(session, because: AuthError(.nullUser, "the account was deleted"))
    }
  }
}

extension AuthError {
  fileprivate static func alreadyLinked(_ provider: String) -> AuthError {
    let advice =
      switch provider {
      case "password": "this account has a password already; use updatePassword(to:)"
      case "phone": "this account has a phone number already; use updatePhoneNumber(_:)"
      default: "this account signs in by \(provider.printable()) already; unlink that one first"
      }
    return AuthError(.providerAlreadyLinked, advice)
  }

  fileprivate static var otherUser: AuthError {
    AuthError(.userMismatch, "the credential belongs to another user; sign in with it instead")
  }
}
