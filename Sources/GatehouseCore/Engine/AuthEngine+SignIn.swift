package import GatehouseBase
import GatehouseQueues
import IdentityToolkit

/// What a sign-in came to.
package struct SignInResult: Sendable {
  package let session: UserSession
  package let isNewUser: Bool
  package let providerID: String?

  package init(session: UserSession, isNewUser: Bool, providerID: String?) {
    self.session = session
    self.isNewUser = isNewUser
    self.providerID = providerID
  }
}

extension AuthEngine {
  package func createUserInternal(
    email: String, password: Secret, timeout: Duration?
  ) async throws(AuthError) -> SignInResult {
    try await signIn(
      "createUser", SignUp(email: email, password: password), isNewUser: true, providerID: "password", timeout)
  }

  package func signInInternal(
    email: String, password: Secret, timeout: Duration?
  ) async throws(AuthError) -> SignInResult {
    try await signIn(
      "signIn", SignInWithPassword(email: email, password: password), isNewUser: false, providerID: "password", timeout)
  }

  /// An anonymous user who is signed in already stays who he is.
  package func signInAnonymouslyInternal(timeout: Duration?) async throws(AuthError) -> SignInResult {
    if let session = state.session, session.profile.isAnonymous {
      return SignInResult(session: session, isNewUser: false, providerID: nil)
    }
    return try await signIn("signInAnonymously", SignUp(), isNewUser: true, providerID: nil, timeout)
  }

  /// Makes a user of this or another `Auth` the current one, once this one's backend has confirmed him.
  package func updateCurrentUserInternal(_ other: UserSession, timeout: Duration?) async throws(AuthError) {
    if state.session === other { return }
    guard other.ending?.code != .nullUser, other.ending?.code != .closed else {
      throw AuthError(.nullUser, "this user has signed out; sign in again")
    }
    let refreshToken = other.tokens.refreshToken
    _ = try await attempt("updateCurrentUser", timeout: timeout) { () throws(AuthError) in
      let (response, received) = try await self.ask(ExchangeRefreshToken(refreshToken: refreshToken))
      let tokens = SessionTokens(
        idToken: response.idToken, refreshToken: response.refreshToken,
        lifetime: Double(response.expiresIn.value), received: received)
      return (tokens, other.uid)
    }
  }

  // MARK: The one way in

  private func signIn<C: Call>(
    _ name: StaticString, _ call: C, isNewUser: Bool, providerID: String?, _ timeout: Duration?
  ) async throws(AuthError) -> SignInResult where C.Response == SignInResponse {
    let session = try await attempt(name, timeout: timeout) { () throws(AuthError) in
      let answer = try await self.ask(call)
      let tokens = SessionTokens(
        idToken: answer.response.idToken, refreshToken: answer.response.refreshToken,
        lifetime: Double(answer.response.expiresIn.value), received: answer.received)
      return (tokens, answer.response.localId)
    }
    return SignInResult(session: session, isNewUser: isNewUser, providerID: providerID)
  }

  /// A sign-in takes a new epoch when it starts. If by its end another has started, or the user has signed out, it
  /// changes nothing and throws; so does one that nobody waits for any more. It is done when it is stored.
  private func attempt(
    _ name: StaticString, timeout: Duration?,
    _ credentials: @escaping @WorkQueue @Sendable () async throws(AuthError) -> (SessionTokens, uid: String)
  ) async throws(AuthError) -> UserSession {
    try checkOpen()
    epoch += 1
    let mine = epoch
    return try await perform(name, timeout: timeout) { () throws(AuthError) in
      let (tokens, uid) = try await credentials()
      try self.checkCurrent(mine)
      let account = try await self.ask(Lookup(idToken: tokens.idToken)).response.users?.first
      try self.checkCurrent(mine)
      guard let profile = account?.profile, profile.uid.isExactly(uid) else {
        throw AuthError(.internalError, "the provider told of another user than the one who signed in")
      }
      let random = try self.outside().random
      let id = try await Background.run { () throws(AuthError) in random.identifier() }
      let session = UserSession(
        StoredSession(session: id, generation: 1, profile: profile, tokens: tokens))
      try self.checkCurrent(mine)
      _ = try await self.store.write(session.stored, if: .always).value()
      do throws(AuthError) {
        try self.checkCurrent(mine)
      } catch {
        _ = self.store.write(nil, if: .session(id))
        throw error
      }
      self.install(session)
      return session
    }
  }

  private func checkCurrent(_ mine: UInt64) throws(AuthError) {
    try checkOpen()
    if Task.isCancelled { throw .cancelled }
    guard epoch == mine else {
      throw AuthError(.superseded, "another sign-in, or a sign-out, came after this sign-in was started")
    }
  }

  /// Asks the backend, off the work queue, and reads the clocks when the answer is there.
  func ask<C: Call>(_ call: C) async throws(AuthError) -> (response: C.Response, received: ClockReading) {
    let surroundings = try outside()
    return try await Background.run { () throws(AuthError) in
      let response = try await surroundings.backend.answer(call)
      return (response, surroundings.clocks.now())
    }
  }
}
