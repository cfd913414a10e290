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
    let session = try await attempt("createUser", timeout: timeout) { () throws(AuthError) in
      try await self.credentials(from: SignUp(email: email, password: password))
    }
    return SignInResult(session: session, isNewUser: true, providerID: "password")
  }

  package func signInInternal(
    email: String, password: Secret, timeout: Duration?
  ) async throws(AuthError) -> SignInResult {
    let session = try await attempt("signIn", timeout: timeout) { () throws(AuthError) in
      try await self.credentials(from: SignInWithPassword(email: email, password: password))
    }
    return SignInResult(session: session, isNewUser: false, providerID: "password")
  }

  /// An anonymous user who is signed in, or whose session is being restored, stays who he is: nobody could ever sign in
  /// to his account again. For the same reason a stored session that cannot be read is not replaced.
  package func signInAnonymouslyInternal(timeout: Duration?) async throws(AuthError) -> SignInResult {
    let isNew = Answer(false)
    let session = try await attempt("signInAnonymously", timeout: timeout) { () throws(AuthError) in
      if let restoring = self.restoring { try await restoring.value() }
      if case .unavailable(let error) = self.state { throw error }
      if let session = self.state.session, session.profile.isAnonymous { return .already(session) }
      isNew.value = true
      return try await self.credentials(from: SignUp())
    }
    return SignInResult(session: session, isNewUser: isNew.value, providerID: nil)
  }

  /// Makes a user of this or another `Auth` the current one, once this one's backend has confirmed him.
  ///
  /// - Parameter tokens: the user's tokens, from the `Auth` that he comes from.
  package func updateCurrentUserInternal(
    _ other: UserSession, timeout: Duration?,
    tokens: @escaping @WorkQueue @Sendable () async throws(AuthError) -> SessionTokens
  ) async throws(AuthError) {
    _ = try await attempt("updateCurrentUser", timeout: timeout) { () throws(AuthError) in
      if self.state.session === other { return .already(other) }
      return .tokens(try await tokens(), uid: other.uid)
    }
  }

  /// Tokens of a session for use in another: fresh ones while it lives; of one that was replaced by another sign-in
  /// those that it had, for nobody else uses them any more.
  package func tokensToMoveInternal(
    _ session: UserSession, now: ClockReading
  ) async throws(AuthError) -> SessionTokens {
    switch session.ending?.code {
    case nil: return try await getIDTokenInternal(session, forcingRefresh: false, now: now, timeout: nil)
    case .sessionEnded:
      let (response, received) = try await ask(ExchangeRefreshToken(refreshToken: session.tokens.refreshToken))
      return try SessionTokens(response, of: session.uid, received: received)
    default: throw AuthError(.nullUser, "this user has signed out; sign in again")
    }
  }

  // MARK: The one way in

  /// What a sign-in has when the provider has answered.
  enum Credentials: Sendable {
    case tokens(SessionTokens, uid: String)
    /// The user is signed in already.
    case already(UserSession)
  }

  private func credentials<C: Call>(
    from call: C
  ) async throws(AuthError) -> Credentials where C.Response == SignInResponse {
    let (response, received) = try await ask(call)
    // Who signs in is known from this answer only. The look-up that follows must tell of the same user.
    let tokens = try SessionTokens(response, of: response.localId, received: received)
    return .tokens(tokens, uid: response.localId)
  }

  /// A sign-in takes a new epoch when it starts. If by its end another has started, or the user has signed out, it
  /// changes nothing and throws; so does one that nobody waits for any more. It is done when it is stored, and what it
  /// has stored is undone when it is over before that.
  private func attempt(
    _ name: StaticString, timeout: Duration?,
    _ credentials: @escaping @WorkQueue @Sendable () async throws(AuthError) -> Credentials
  ) async throws(AuthError) -> UserSession {
    try checkOpen()
    if Task.isCancelled { throw .cancelled }
    epoch += 1
    let attempt = SignInAttempt(epoch: epoch)
    return try await perform(name, timeout: timeout, onEnd: { self.undo(attempt) }) { () throws(AuthError) in
      do throws(AuthError) {
        return try await self.run(attempt, credentials)
      } catch {
        self.undo(attempt)
        throw error
      }
    }
  }

  private func run(
    _ attempt: SignInAttempt, _ credentials: @WorkQueue () async throws(AuthError) -> Credentials
  ) async throws(AuthError) -> UserSession {
    let tokens: SessionTokens
    let uid: String
    switch try await credentials() {
    case .already(let session):
      try checkCurrent(attempt)
      return session
    case .tokens(let given, let givenID): (tokens, uid) = (given, givenID)
    }
    try checkCurrent(attempt)
    let response = try await ask(Lookup(idToken: tokens.idToken)).response
    try checkCurrent(attempt)
    let profile = try response.profile(of: uid)
    let random = outside.random
    let id = try await Background.run { () throws(AuthError) in random.identifier() }
    try checkCurrent(attempt)
    let session = UserSession(StoredSession(session: id, generation: 1, profile: profile, tokens: tokens))
    attempt.written = id
    unsettled.insert(id)
    _ = try await store.write(session.stored, if: .always).value()
    try checkCurrent(attempt)
    attempt.written = nil
    unsettled.remove(id)
    install(session)
    return session
  }

  private func checkCurrent(_ attempt: SignInAttempt) throws(AuthError) {
    try checkOpen()
    if Task.isCancelled { throw .cancelled }
    guard epoch == attempt.epoch else {
      throw AuthError(.superseded, "another sign-in, or a sign-out, came after this sign-in was started")
    }
  }

  /// Puts back what a sign-in that is over has replaced in the store, if it is still what the store holds: the session
  /// that is the current one when the undoing has its turn.
  private func undo(_ attempt: SignInAttempt) {
    guard let id = attempt.written else { return }
    attempt.written = nil
    let promise = store.write({ self.state.session?.stored }, if: .session(id))
    WorkQueue.start("undo") {
      let undone = await outcome { () throws(AuthError) in try await promise.value() }
      // Undone it stays in the set: somebody who looked into the store before may come to his conclusions only now.
      guard case .failure(let error) = undone else { return }
      self.unsettled.remove(id)
      if self.state.session == nil { self.unerased = .session(id) }
      self.log(.error, "what a sign-in that is over had stored could not be undone: \(error)")
    }
  }
}

/// One sign-in in flight.
@WorkQueue
private final class SignInAttempt {
  let epoch: UInt64
  /// The session that was put in the store's queue, until the sign-in is done or undone.
  var written: String?

  init(epoch: UInt64) { self.epoch = epoch }
}

/// A value that an operation leaves for its caller.
@WorkQueue
private final class Answer<Value: Sendable> {
  var value: Value
  init(_ value: Value) { self.value = value }
}
