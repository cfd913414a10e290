import GatehouseBase
import GatehouseQueues
import IdentityToolkit

/// Signs users in and out. Of two sign-ins at once the last one that was started wins.
@WorkQueue
final class SignIns {
  let admission: CallAdmission
  let keeper: SessionKeeper
  let tokens: TokenService
  let environment: EngineEnvironment
  /// The tenant whose users sign in; `nil` for the project's own.
  private(set) var tenantID: String?
  /// Whether the app has chosen it. Until then it is that of the user who is signed in, or was last.
  private var isTenantChosen: Bool
  /// Counts sign-ins and sign-outs: a sign-in in flight is over when another has begun.
  private var epoch: UInt64 = 0
  /// The anonymous sign-in in flight, which later calls join.
  private var anonymous: SignInAttempt?
  private let calls: CallsInFlight
  /// Whether the store keeps the session that a sign-in replaces.
  private let keepsUsers: Bool

  nonisolated init(
    _ admission: CallAdmission, _ keeper: SessionKeeper, _ tokens: TokenService, _ environment: EngineEnvironment,
    _ calls: CallsInFlight, tenantID: String?, keepsUsers: Bool
  ) {
    self.keepsUsers = keepsUsers
    self.tenantID = tenantID
    isTenantChosen = tenantID != nil
    self.admission = admission
    self.keeper = keeper
    self.tokens = tokens
    self.environment = environment
    self.calls = calls
  }

  /// Sign-ins that begin from now on are for this tenant.
  func chooseTenant(_ tenantID: String?) {
    self.tenantID = tenantID
    isTenantChosen = true
  }

  /// A user is signed in whom this program, in an earlier run, or another one has signed in.
  func adoptTenant(of session: UserSession) {
    if !isTenantChosen { tenantID = session.tenantID }
  }

  func createUser(email: String, password: Secret, timeout: Duration?) async throws(AuthError) -> SignInResult {
    try await attempt("createUser", timeout: timeout) { (attempt) throws(AuthError) in
      try await self.credentials(isNewUser: true, providerID: "password") { () throws(AuthError) in
        try await self.environment.answer(to: SignUp(email: email, password: password).of(attempt.tenantID))
      }
    }
  }

  func signIn(with credential: Credential, timeout: Duration?) async throws(AuthError) -> SignInResult {
    try await attempt("signIn", timeout: timeout) { (attempt) throws(AuthError) in
      try await self.credentials(isNewUser: false, providerID: credential.providerID) { () throws(AuthError) in
        try await self.environment.present(credential, for: .signIn(tenantID: attempt.tenantID))
      }
    }
  }

  func signIn(customToken: Secret, timeout: Duration?) async throws(AuthError) -> SignInResult {
    try await attempt("signIn", timeout: timeout) { (attempt) throws(AuthError) in
      try self.keeper.store.queue.checkNotHeld()
      let call = SignInWithCustomToken(token: customToken).of(attempt.tenantID)
      let (response, received) = try await self.environment.ask(call)
      let (tokens, uid) = try await response.tokens(received: received)
      return .tokens(tokens, uid: uid, isNewUser: response.isNewUser ?? false, providerID: nil)
    }
  }

  /// Ends a sign-in that waits for a second factor. It takes an epoch of its own.
  func signIn(
    _ pending: Secret, with proof: SecondFactorProof, timeout: Duration?
  ) async throws(AuthError) -> SignInResult {
    try await attempt("resolveSignIn", timeout: timeout) { (attempt) throws(AuthError) in
      try self.keeper.store.queue.checkNotHeld()
      let (response, received) = try await self.environment.ask(proof.call(pending).of(attempt.tenantID))
      let (tokens, uid) = try await response.tokens(received: received)
      return .tokens(tokens, uid: uid, isNewUser: false, providerID: nil)
    }
  }

  /// An anonymous user who is signed in, or whose session is being restored, stays who they are: they could never sign
  /// in to their account again. For the same reason a stored session that cannot be read is not replaced, and calls
  /// that come while an anonymous sign-in is in flight share it:
  ///
  ///     the sign-in in flight                     then
  ///     is the last one that was started          join it
  ///     was overtaken by a sign-in or sign-out,
  ///     or is for another tenant                  start another
  ///     makes this very call, in its backend      the call would wait for itself
  func signInAnonymously(timeout: Duration?) async throws(AuthError) -> SignInResult {
    try admission.checkOpen()
    if let anonymous, !anonymous.isOver, anonymous.epoch == epoch, anonymous.tenantID.isExactly(tenantID) {
      if Task.isCancelled { throw .cancelled }
      try anonymous.queue.checkNotHeld()
      return try await wait(for: anonymous.join(), of: anonymous, "signInAnonymously", timeout: timeout)
    }
    return try await attempt("signInAnonymously", timeout: timeout, isAnonymous: true) {
      (attempt) throws(AuthError) in
      if let restoring = self.keeper.restoring {
        try await restoring.value()
        try self.checkCurrent(attempt)
      }
      if case .unavailable(let error) = self.keeper.state { throw error }
      if let session = self.keeper.state.session, session.profile.isAnonymous,
        session.tenantID.isExactly(attempt.tenantID)
      {
        return .already(SignInResult(session: session, isNewUser: false, providerID: nil))
      }
      return try await self.credentials(isNewUser: true, providerID: nil) { () throws(AuthError) in
        try await self.environment.answer(to: SignUp().of(attempt.tenantID))
      }
    }
  }

  /// Makes a user of this or another `Auth` the current one, once this one's backend has confirmed them.
  ///
  /// - Parameter tokens: the user's tokens, from the `Auth` that they come from.
  func updateCurrentUser(
    _ other: UserSession, timeout: Duration?,
    tokens: @escaping @WorkQueue @Sendable () async throws(AuthError) -> SessionTokens
  ) async throws(AuthError) {
    _ = try await attempt("updateCurrentUser", timeout: timeout) { (_) throws(AuthError) in
      if self.keeper.state.session === other {
        return .already(SignInResult(session: other, isNewUser: false, providerID: nil))
      }
      try self.keeper.store.queue.checkNotHeld()
      return .tokens(try await tokens(), uid: other.uid, isNewUser: false, providerID: nil)
    }
  }

  /// Makes a user whose session the store keeps the current one. Nothing is asked of the provider.
  func switchUser(to uid: String, timeout: Duration?) async throws(AuthError) -> SignInResult {
    try await attempt("switchUser", timeout: timeout) { (attempt) throws(AuthError) in
      if let restoring = self.keeper.restoring {
        try await restoring.value()
        try self.checkCurrent(attempt)
      }
      if case .unavailable(let error) = self.keeper.state { throw error }
      if let session = self.keeper.state.session, session.uid.isExactly(uid) {
        return .already(SignInResult(session: session, isNewUser: false, providerID: nil))
      }
      try self.keeper.store.queue.checkNotHeld()
      return .kept(uid: uid)
    }
  }

  /// Tokens of a session for use in another: fresh ones while it lives; of one that was replaced by another sign-in
  /// those that it had, because no other part uses them any more.
  func tokensToMove(_ session: UserSession, now: ClockReading) async throws(AuthError) -> SessionTokens {
    switch session.ending?.code {
    case nil: return try await tokens.getIDToken(session, forcingRefresh: false, now: now, timeout: nil)
    case .sessionEnded:
      let call = ExchangeRefreshToken(refreshToken: session.tokens.refreshToken)
      let (response, received) = try await environment.ask(call)
      return try SessionTokens(response, of: session.uid, received: received)
    default: throw AuthError(.nullUser, "this user has signed out; sign in again")
    }
  }

  /// Ends the session in memory at once, and puts its erasure in the store's queue. Never waits for a refresh.
  func signOut() throws(AuthError) {
    try admission.checkOpen()
    let condition: StoreCondition?
    switch keeper.state {
    case .signedIn(let session): condition = .session(session.id)
    case .restoring: condition = .always
    // A damaged file holds no usable session. One that only cannot be read may hold a good one.
    case .unavailable(let error) where error.code == .storeDamaged: condition = .always
    case .unavailable(let error): throw error
    case .signedOut, .closed: condition = nil
    }
    epoch += 1
    guard let condition else { return }
    keeper.settle(.signedOut(nil), ending: AuthError(.nullUser, "the user signed out; sign in again"))
    keeper.erase(condition)
  }

  // MARK: One sign-in from start to end

  /// What a sign-in has when the provider has answered. A sign-in that waits for anything else checks after that wait
  /// whether it was overtaken.
  private enum Credentials: Sendable {
    case tokens(
      SessionTokens, uid: String, isNewUser: Bool, providerID: String?, details: IdentityDetails? = nil)
    /// The user is signed in already.
    case already(SignInResult)
    /// The store keeps the user's session.
    case kept(uid: String)
  }

  /// - Parameter isNewUser: whether the sign-in makes an account, where the answer does not say.
  private func credentials(
    isNewUser: Bool, providerID: String?,
    _ ask: @WorkQueue () async throws(AuthError) -> CredentialAnswer
  ) async throws(AuthError) -> Credentials {
    try keeper.store.queue.checkNotHeld()  // before an account is made that could not be stored
    let answer = try await ask()
    let response = answer.response
    // The user is known from this answer only. The look-up that follows must tell of the same user.
    let tokens = try SessionTokens(response, of: response.localId, received: answer.received)
    return .tokens(
      tokens, uid: response.localId, isNewUser: response.isNewUser ?? isNewUser, providerID: providerID,
      details: answer.details)
  }

  /// A sign-in takes a new epoch when it starts. If by its end another has started, or the user has signed out, it
  /// changes nothing and throws; so does one that no caller waits for any more. It is done when it is stored, and what
  /// it has stored is undone when it is over before that.
  private func attempt(
    _ name: StaticString, timeout: Duration?, isAnonymous: Bool = false,
    _ credentials: @escaping @WorkQueue @Sendable (SignInAttempt) async throws(AuthError) -> Credentials
  ) async throws(AuthError) -> SignInResult {
    try admission.checkOpen()
    if Task.isCancelled { throw .cancelled }
    epoch += 1
    let attempt = SignInAttempt(epoch: epoch, tenantID: tenantID)
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

  /// One caller's wait. When it ends early the caller leaves the sign-in; when the last one has left, that is over.
  private func wait(
    for caller: Promise<SignInResult, AuthError>, of attempt: SignInAttempt, _ name: StaticString, timeout: Duration?
  ) async throws(AuthError) -> SignInResult {
    try await calls.wait(for: caller, name, timeout: timeout) { attempt.leave(caller) }
  }

  private func run(
    _ attempt: SignInAttempt, _ credentials: @WorkQueue (SignInAttempt) async throws(AuthError) -> Credentials
  ) async throws(AuthError) -> SignInResult {
    try checkCurrent(attempt)
    if !keeper.store.isAdmitted {
      try await keeper.store.turn("lock") { (turn) throws(AuthError) in try await turn.prepare() }.value()
      try checkCurrent(attempt)
    }
    let tokens: SessionTokens
    let uid: String
    let result: @WorkQueue (UserSession) -> SignInResult
    switch try await credentials(attempt) {
    case .already(let result): return result
    case .kept(let uid): return try await takeFromShelf(uid, attempt)
    case .tokens(let given, let givenID, let isNewUser, let providerID, let details):
      (tokens, uid) = (given, givenID)
      result = { SignInResult(session: $0, isNewUser: isNewUser, providerID: providerID, details: details) }
    }
    try checkCurrent(attempt)
    let response = try await environment.ask(Lookup(idToken: tokens.idToken)).response
    try checkCurrent(attempt)
    let profile = try response.profile(of: uid)
    // A backend that knows no tenants would sign in a user of the whole project.
    guard profile.tenantID.isExactly(attempt.tenantID) else { throw AuthError(server: "TENANT_ID_MISMATCH") }
    let id = try await environment.read { $0.random.identifier() }
    let new = StoredSession(session: id, generation: 1, profile: profile, tokens: tokens)
    return try await settingAside { () throws(AuthError) in
      try await self.keeper.store.turn("sign in") { (turn) throws(AuthError) in
        try self.checkCurrent(attempt)
        let session = UserSession(new)
        try await turn.replace(by: new) { () throws(AuthError) in
          try self.checkCurrent(attempt)
          self.keeper.install(session)
          attempt.end(.success(result(session)))  // in the same turn: a caller that learns of success is signed in
        }
        return result(session)
      }.value()
    }
  }

  /// Makes the stored session of another user the current one.
  private func takeFromShelf(_ uid: String, _ attempt: SignInAttempt) async throws(AuthError) -> SignInResult {
    try await settingAside { () throws(AuthError) in
      try await self.keeper.store.turn("switch user") { (turn) throws(AuthError) in
        try self.checkCurrent(attempt)
        let last = self.keeper.state.session
        if let last { try await turn.save(last) }
        guard let stored = try await turn.others().first(where: { $0.profile.uid.isExactly(uid) }) else {
          throw AuthError(.userNotFound, "the store keeps no session of \(uid.printable()); sign in")
        }
        guard try await turn.exchange(for: stored.session) == .written else {
          throw AuthError(.storeFailed, "another program took that user's session meanwhile; try again")
        }
        do throws(AuthError) { try self.checkCurrent(attempt) } catch {
          // A sign-out must find the session that it ends.
          _ = try await turn.exchange(for: last?.id)
          throw error
        }
        let session = UserSession(stored)
        self.keeper.install(session, endingTheLast: "the program switched to another user")
        let result = SignInResult(session: session, isNewUser: false, providerID: nil)
        attempt.end(.success(result))
        return result
      }.value()
    }
  }

  /// Runs what sets the current session aside, when nothing is in flight for it any more: its tokens in the store must
  /// be the last ones.
  private func settingAside(
    _ replace: @escaping @WorkQueue @Sendable () async throws(AuthError) -> SignInResult
  ) async throws(AuthError) -> SignInResult {
    guard keepsUsers, let session = keeper.state.session else { return try await replace() }
    try session.profileQueue.checkNotHeld()
    try session.tokenQueue.checkNotHeld()
    return try await session.profileQueue.run("set aside", deadline: nil) { () throws(AuthError) in
      try await session.tokenQueue.run("set aside", deadline: nil, replace)
    }
  }

  private func checkCurrent(_ attempt: SignInAttempt) throws(AuthError) {
    try admission.checkOpen()
    if attempt.isOver { throw .cancelled }
    guard epoch == attempt.epoch else {
      throw AuthError(.superseded, "another sign-in, or a sign-out, came after this sign-in was started")
    }
  }
}
