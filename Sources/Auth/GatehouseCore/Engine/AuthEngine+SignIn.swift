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
    try await attempt("createUser", timeout: timeout) { (_) throws(AuthError) in
      try await self.credentials(
        from: SignUp(email: email, password: password), isNewUser: true, providerID: "password")
    }
  }

  package func signInInternal(
    email: String, password: Secret, timeout: Duration?
  ) async throws(AuthError) -> SignInResult {
    try await attempt("signIn", timeout: timeout) { (_) throws(AuthError) in
      try await self.credentials(
        from: SignInWithPassword(email: email, password: password), isNewUser: false, providerID: "password")
    }
  }

  /// An anonymous user who is signed in, or whose session is being restored, stays who they are: they could never sign
  /// in to their account again. For the same reason a stored session that cannot be read is not replaced, and those who
  /// come while an anonymous sign-in is in flight share it:
  ///
  ///     the sign-in in flight                     then
  ///     is the last one that was started          join it
  ///     was overtaken by a sign-in or sign-out    start another
  ///     makes this very call, in its backend      the call would wait for itself
  package func signInAnonymouslyInternal(timeout: Duration?) async throws(AuthError) -> SignInResult {
    try checkOpen()
    if let anonymous, !anonymous.isOver, anonymous.epoch == epoch {
      if Task.isCancelled { throw .cancelled }
      try anonymous.queue.checkNotHeld()
      return try await wait(for: anonymous.join(), of: anonymous, "signInAnonymously", timeout: timeout)
    }
    return try await attempt("signInAnonymously", timeout: timeout, isAnonymous: true) {
      (attempt) throws(AuthError) in
      if let restoring = self.restoring {
        try await restoring.value()
        try self.checkCurrent(attempt)
      }
      if case .unavailable(let error) = self.state { throw error }
      if let session = self.state.session, session.profile.isAnonymous {
        return .already(SignInResult(session: session, isNewUser: false, providerID: nil))
      }
      return try await self.credentials(from: SignUp(), isNewUser: true, providerID: nil)
    }
  }

  /// Makes a user of this or another `Auth` the current one, once this one's backend has confirmed them.
  ///
  /// - Parameter tokens: the user's tokens, from the `Auth` that they come from.
  package func updateCurrentUserInternal(
    _ other: UserSession, timeout: Duration?,
    tokens: @escaping @WorkQueue @Sendable () async throws(AuthError) -> SessionTokens
  ) async throws(AuthError) {
    _ = try await attempt("updateCurrentUser", timeout: timeout) { (_) throws(AuthError) in
      if self.state.session === other {
        return .already(SignInResult(session: other, isNewUser: false, providerID: nil))
      }
      try self.store.queue.checkNotHeld()
      return .tokens(try await tokens(), uid: other.uid, isNewUser: false, providerID: nil)
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

  /// What a sign-in has when the provider has answered. A sign-in that waits for anything else looks behind that wait
  /// whether it was overtaken.
  enum Credentials: Sendable {
    case tokens(SessionTokens, uid: String, isNewUser: Bool, providerID: String?)
    /// The user is signed in already.
    case already(SignInResult)
  }

  private func credentials<C: Call>(
    from call: C, isNewUser: Bool, providerID: String?
  ) async throws(AuthError) -> Credentials where C.Response == SignInResponse {
    try store.queue.checkNotHeld()  // before an account is made that could not be stored
    let (response, received) = try await ask(call)
    // Who signs in is known from this answer only. The look-up that follows must tell of the same user.
    let tokens = try SessionTokens(response, of: response.localId, received: received)
    return .tokens(tokens, uid: response.localId, isNewUser: isNewUser, providerID: providerID)
  }

  /// A sign-in takes a new epoch when it starts. If by its end another has started, or the user has signed out, it
  /// changes nothing and throws; so does one that nobody waits for any more. It is done when it is stored, and what it
  /// has stored is undone when it is over before that.
  private func attempt(
    _ name: StaticString, timeout: Duration?, isAnonymous: Bool = false,
    _ credentials: @escaping @WorkQueue @Sendable (SignInAttempt) async throws(AuthError) -> Credentials
  ) async throws(AuthError) -> SignInResult {
    try checkOpen()
    if Task.isCancelled { throw .cancelled }
    epoch += 1
    let attempt = SignInAttempt(epoch: epoch)
    let caller = attempt.join()
    if isAnonymous {
      anonymous = attempt
      // In a turn of its own, so that a call to join it from its own backend is known for what it is.
      _ = attempt.queue.enqueue(name, deadline: nil) { () throws(AuthError) in
        self.begin(attempt, credentials)
        await attempt.task?.value
      }
    } else {
      begin(attempt, credentials)
    }
    return try await wait(for: caller, of: attempt, name, timeout: timeout)
  }

  private func begin(
    _ attempt: SignInAttempt,
    _ credentials: @escaping @WorkQueue @Sendable (SignInAttempt) async throws(AuthError) -> Credentials
  ) {
    attempt.task = WorkQueue.begin {
      let result = await outcome { () throws(AuthError) in try await self.run(attempt, credentials) }
      attempt.end(result)
      if self.anonymous === attempt { self.anonymous = nil }
    }
  }

  /// One caller's wait. When it ends early the caller leaves the sign-in; when nobody is left, that is over.
  private func wait(
    for caller: Promise<SignInResult, AuthError>, of attempt: SignInAttempt, _ name: StaticString, timeout: Duration?
  ) async throws(AuthError) -> SignInResult {
    try await wait(forCall: caller, name, timeout: timeout) { attempt.leave(caller) }
  }

  private func run(
    _ attempt: SignInAttempt, _ credentials: @WorkQueue (SignInAttempt) async throws(AuthError) -> Credentials
  ) async throws(AuthError) -> SignInResult {
    try checkCurrent(attempt)
    if !store.isAdmitted {
      try await store.turn("lock") { (turn) throws(AuthError) in try await turn.prepare() }.value()
      try checkCurrent(attempt)
    }
    let tokens: SessionTokens
    let uid: String
    let result: @WorkQueue (UserSession) -> SignInResult
    switch try await credentials(attempt) {
    case .already(let result): return result
    case .tokens(let given, let givenID, let isNewUser, let providerID):
      (tokens, uid) = (given, givenID)
      result = { SignInResult(session: $0, isNewUser: isNewUser, providerID: providerID) }
    }
    try checkCurrent(attempt)
    let response = try await ask(Lookup(idToken: tokens.idToken)).response
    try checkCurrent(attempt)
    let profile = try response.profile(of: uid)
    let id = try await readOutside { $0.random.identifier() }
    let new = StoredSession(session: id, generation: 1, profile: profile, tokens: tokens)
    let stored = store.turn("sign in") { (turn) throws(AuthError) in
      try self.checkCurrent(attempt)
      let session = UserSession(new)
      try await turn.replace(by: new) { () throws(AuthError) in
        try self.checkCurrent(attempt)
        self.install(session)
        attempt.end(.success(result(session)))  // together: who is told of success is signed in
      }
      return result(session)
    }
    return try await stored.value()
  }

  private func checkCurrent(_ attempt: SignInAttempt) throws(AuthError) {
    try checkOpen()
    if attempt.isOver { throw .cancelled }
    guard epoch == attempt.epoch else {
      throw AuthError(.superseded, "another sign-in, or a sign-out, came after this sign-in was started")
    }
  }
}
