import GatehouseBase
import GatehouseQueues
import IdentityToolkit

/// Signs users in and out. If two sign-ins run at once, the one started last wins.
@WorkQueue
final class SignIns {
  let admission: CallAdmission
  let keeper: SessionKeeper
  let tokens: TokenService
  let environment: EngineEnvironment
  /// The tenant whose users sign in; `nil` for the project.
  private(set) var tenantID: String?
  /// Whether the app has chosen the tenant. Until then it is the tenant of the current or last user.
  private var isTenantChosen: Bool
  /// Counts sign-ins and sign-outs. A sign-in in flight is over when another one has begun.
  private var epoch: UInt64 = 0
  /// The anonymous sign-in in flight, which later calls join.
  private var anonymous: SignInAttempt?
  private let calls: CallsInFlight

  nonisolated init(
    _ admission: CallAdmission, _ keeper: SessionKeeper, _ tokens: TokenService, _ environment: EngineEnvironment,
    _ calls: CallsInFlight, tenantID: String?
  ) {
    self.tenantID = tenantID?.isEmpty == true ? nil : tenantID
    isTenantChosen = tenantID != nil
    self.admission = admission
    self.keeper = keeper
    self.tokens = tokens
    self.environment = environment
    self.calls = calls
  }

  /// Sets the tenant of later sign-ins. An empty name is the same as `nil`, as in the protocol.
  func chooseTenant(_ tenantID: String?) {
    self.tenantID = tenantID?.isEmpty == true ? nil : tenantID
    isTenantChosen = true
  }

  /// The tenants whose users may be switched to.
  var tenantChoice: TenantChoice { isTenantChosen ? .only(tenantID) : .any }

  /// Adopts the tenant of a user whom an earlier run of this program, or another program, has signed in.
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

  /// Completes a sign-in that waits for a second factor. It takes an epoch of its own.
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

  /// Signs in anonymously. An anonymous user who is signed in, or whose session is being restored, stays signed in:
  /// they could never sign in to their account again. For the same reason a stored session that cannot be read is not
  /// replaced, and calls that come while an anonymous sign-in is in flight share it:
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

  /// Makes a user of this or another `Auth` the current one, once this `Auth`'s backend has confirmed the user.
  ///
  /// - Parameter tokens: the user's tokens, from their `Auth`.
  func updateCurrentUser(
    _ other: UserSession, timeout: Duration?,
    tokens: @escaping @WorkQueue @Sendable () async throws(AuthError) -> SessionTokens
  ) async throws(AuthError) {
    _ = try await attempt("updateCurrentUser", timeout: timeout) { (_) throws(AuthError) in
      if let session = self.keeper.state.session, session.name == other.name {
        return .already(SignInResult(session: session, isNewUser: false, providerID: nil))
      }
      try self.keeper.store.queue.checkNotHeld()
      if self.keeper.store.keepsUsers, try await self.isStored(other) {
        return .kept { $0.session.isExactly(other.id) }
      }
      return .tokens(try await tokens(), uid: other.uid, isNewUser: false, providerID: nil)
    }
  }

  /// Makes a user whose session the store keeps the current one. The provider is not contacted.
  func switchUser(to uid: String, timeout: Duration?) async throws(AuthError) -> SignInResult {
    try await attempt("switchUser", timeout: timeout) { (attempt) throws(AuthError) in
      if let restoring = self.keeper.restoring {
        try await restoring.value()
        try self.checkCurrent(attempt)
      }
      if case .unavailable(let error) = self.keeper.state { throw error }
      let tenant = self.tenantChoice
      if let session = self.keeper.state.session, session.uid.isExactly(uid), tenant.admits(session.tenantID) {
        return .already(SignInResult(session: session, isNewUser: false, providerID: nil))
      }
      try self.keeper.store.queue.checkNotHeld()
      return .kept { $0.profile.uid.isExactly(uid) }
    }
  }

  /// Whether the store keeps a session.
  private func isStored(_ session: UserSession) async throws(AuthError) -> Bool {
    try await keeper.store.turn("look for a user") { (turn) throws(AuthError) in
      try await turn.sessions().version(of: session.id) != nil
    }.value()
  }

  /// Returns tokens of a session for use in another one: fresh ones while the session is alive. For a session that was
  /// replaced by another sign-in, refreshes its last tokens, which no other part uses any more.
  ///
  ///     the session                 the provider rotates tokens        it does not
  ///     is alive                    refused: two sessions would        its tokens
  ///                                 spend one token
  ///     was replaced                its last tokens, once              its last tokens
  ///     was replaced, in a store    refused: it was signed out, or     the same
  ///     that keeps users            it is the store's to refresh
  ///     has ended otherwise         refused                            refused
  func tokensToMove(_ session: UserSession, now: ClockReading) async throws(AuthError) -> SessionTokens {
    let rotates = keeper.store.needsLock || session.rotation != nil
    switch session.ending?.code {
    case nil where rotates: throw .isNotShared
    case nil: return try await tokens.getIDToken(session, forcingRefresh: false, now: now, timeout: nil)
    case .sessionEnded where keeper.store.keepsUsers: throw .hasNoSession
    case .sessionEnded:
      if rotates, session.isMoved { throw .hasNoSession }
      session.isMoved = true
      let call = ExchangeRefreshToken(refreshToken: session.tokens.refreshToken)
      let (response, received) = try await environment.ask(call)
      return try SessionTokens(response, of: session.uid, received: received)
    default: throw .hasNoSession
    }
  }

  /// Ends the session in memory at once, and enqueues its erasure in the store. Never waits for a refresh.
  func signOut() throws(AuthError) {
    try admission.checkOpen()
    let erasure: OwedWrites.Erasure?
    switch keeper.state {
    case .signedIn(let session): erasure = .session(session.name)
    case .restoring: erasure = .current
    // A damaged file holds no usable session. A file that only cannot be read may hold a valid one.
    case .unavailable(let error) where error.code == .storeDamaged: erasure = .current
    case .unavailable(let error): throw error
    case .signedOut, .closed: erasure = nil
    }
    epoch += 1
    guard let erasure else { return }
    keeper.settle(.signedOut(nil), ending: AuthError(.nullUser, "the user signed out; sign in again"))
    keeper.erase(erasure)
  }

  // MARK: One sign-in from start to end

  /// The result of the provider's answer. A sign-in that waits for anything else checks after that wait whether it was
  /// superseded.
  private enum Credentials: Sendable {
    case tokens(
      SessionTokens, uid: String, isNewUser: Bool, providerID: String?, details: IdentityDetails? = nil)
    /// The user is already signed in.
    case already(SignInResult)
    /// The store keeps the session that this describes.
    case kept(@Sendable (StoredSession) -> Bool)
  }

  /// - Parameter isNewUser: whether the sign-in creates an account, if the answer does not say.
  private func credentials(
    isNewUser: Bool, providerID: String?,
    _ ask: @WorkQueue () async throws(AuthError) -> CredentialAnswer
  ) async throws(AuthError) -> Credentials {
    try keeper.store.queue.checkNotHeld()  // before an account is created that could not be stored
    let answer = try await ask()
    let response = answer.response
    // Only this answer identifies the user. The lookup that follows must return the same user.
    let tokens = try SessionTokens(response, of: response.localId, received: answer.received)
    return .tokens(
      tokens, uid: response.localId, isNewUser: response.isNewUser ?? isNewUser, providerID: providerID,
      details: answer.details)
  }

  /// Runs a sign-in. It takes a new epoch when it starts. If another sign-in has started by its end, or the user has
  /// signed out, it changes nothing and throws; so does a sign-in without waiting callers. A sign-in completes when it
  /// is stored. If it ends before that, what it has stored is undone.
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
      // In a turn of the queue, so that a call that would join it from its own backend is detected.
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

  /// Waits for one caller. If the wait ends early, the caller leaves the sign-in; when the last caller has left, the
  /// sign-in is over.
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
      try await keeper.store.turn("prepare") { (turn) throws(AuthError) in try await turn.prepare() }.value()
      try checkCurrent(attempt)
    }
    let tokens: SessionTokens
    let uid: String
    let result: @WorkQueue (UserSession) -> SignInResult
    switch try await credentials(attempt) {
    case .already(let result): return result
    case .kept(let isMeant): return try await takeFromShelf(attempt, isMeant)
    case .tokens(let given, let givenID, let isNewUser, let providerID, let details):
      (tokens, uid) = (given, givenID)
      result = { SignInResult(session: $0, isNewUser: isNewUser, providerID: providerID, details: details) }
    }
    try checkCurrent(attempt)
    let response = try await environment.ask(Lookup(idToken: tokens.idToken)).response
    try checkCurrent(attempt)
    let profile = try response.profile(of: uid)
    // A backend without tenants would sign in a user of the whole project.
    guard profile.tenantID.isExactly(attempt.tenantID) else { throw AuthError(server: .tenantIDMismatch) }
    let id = try await environment.read { $0.random.identifier() }
    let new = StoredSession(session: id, generation: 1, profile: profile, tokens: tokens)
    return try await settingAside { () throws(AuthError) in
      try await self.keeper.store.turn("sign in") { (turn) throws(AuthError) in
        try self.checkCurrent(attempt)
        let session = UserSession(new)
        try await turn.signIn(new) { (stored) throws(AuthError) in
          try self.checkCurrent(attempt)
          self.keeper.complete(session, as: stored)
          attempt.end(.success(result(session)))  // in this turn: the user is signed in when the caller resumes
        }
        return result(session)
      }.value()
    }
  }

  /// Makes the stored session of another user the current one.
  private func takeFromShelf(
    _ attempt: SignInAttempt, _ isMeant: @escaping @Sendable (StoredSession) -> Bool
  ) async throws(AuthError) -> SignInResult {
    try await settingAside { () throws(AuthError) in
      try await self.keeper.store.turn("switch user") { (turn) throws(AuthError) in
        try self.checkCurrent(attempt)
        let promise = Promise<SignInResult, AuthError>()
        let choose = { @WorkQueue (shelf: SessionShelf) throws(AuthError) in
          let meant = shelf.all.filter(isMeant)
          if let stored = meant.first(where: { self.tenantChoice.admits($0) }) { return stored }
          let none = AuthError(.userNotFound, "the store keeps no session of this user; sign in")
          throw meant.first.map(AuthError.ofOtherTenant) ?? none
        }
        try await turn.switchUser(choose) { (stored) throws(AuthError) in
          try self.checkCurrent(attempt)
          let session = UserSession(stored)
          self.keeper.install(session, endingTheLast: "the program switched to another user")
          let result = SignInResult(session: session, isNewUser: false, providerID: nil)
          attempt.end(.success(result))
          promise.resolve(.success(result))
        }
        return try await promise.value()
      }.value()
    }
  }

  /// Runs an operation that sets the current session aside, once nothing is in flight for that session: its tokens in
  /// the store must be the latest ones. The session's queues are held only until then. While the operation waits for
  /// the store, the session's refreshes and changes wait for it, by their own deadlines.
  private func settingAside(
    _ replace: @escaping @WorkQueue @Sendable () async throws(AuthError) -> SignInResult
  ) async throws(AuthError) -> SignInResult {
    guard keeper.store.keepsUsers, let session = keeper.state.session else { return try await underLock(replace) }
    try session.profileQueue.checkNotHeld()
    try session.tokenQueue.checkNotHeld()
    let over = Promise<Void, AuthError>()
    defer { session.waits.stay(over) }
    try await session.profileQueue.run("set aside", deadline: nil) { () throws(AuthError) in
      try await session.tokenQueue.run("set aside", deadline: nil) { () throws(AuthError) in
        session.waits.setAside(for: over)
      }
    }
    return try await SerialTaskQueue.barring([session.profileQueue, session.tokenQueue]) { () throws(AuthError) in
      self.keeper.store.beginLease()
      defer { self.keeper.store.endLease() }
      do throws(AuthError) { try await self.keeper.lease(session) } catch {
        // A session that has ended is not set aside, and has taken no lock. A damaged one cannot be; `replace` decides
        // what happens to it.
        if session.ending != nil { return try await self.underLock(replace) }
        guard error.code == .storeDamaged else { throw error }
      }
      return try await replace()
    }
  }

  /// Runs an operation that replaces or sets aside what another `Auth` may be refreshing. That one's new tokens are
  /// stored first: an undoing would put the spent one back.
  private func underLock(
    _ replace: @WorkQueue () async throws(AuthError) -> SignInResult
  ) async throws(AuthError) -> SignInResult {
    let store = keeper.store
    let rotates = store.needsLock || keeper.state.session?.rotation != nil
    guard store.keepsUsers || rotates else { return try await replace() }
    store.beginLease()
    defer { store.endLease() }
    do throws(AuthError) { try await keeper.lease(nil) } catch {
      guard !store.keepsUsers || error.code == .storeDamaged else { throw error }
    }
    return try await replace()
  }

  private func checkCurrent(_ attempt: SignInAttempt) throws(AuthError) {
    try admission.checkOpen()
    if attempt.isOver { throw .cancelled }
    guard epoch == attempt.epoch else {
      throw AuthError(.superseded, "another sign-in, or a sign-out, came after this sign-in was started")
    }
  }
}
