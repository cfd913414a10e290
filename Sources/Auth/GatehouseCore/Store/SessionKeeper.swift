import GatehouseBase
import GatehouseQueues

/// Keeps the current session in memory and in the store, and publishes it to the listeners.
///
/// This is the only part that changes which session is current. The other parts change a session's members and then
/// call `save`.
@WorkQueue
final class SessionKeeper {
  private(set) var state: EngineState
  /// Resolves when the stored session has been read.
  private(set) var restoring: Promise<Void, AuthError>?
  let store: SessionStore
  let listeners: ListenerHub
  let environment: EngineEnvironment
  private weak var observer: (any SessionObserver)?
  /// The tenant whose users may become current; any tenant if the configuration sets none.
  private let tenant: TenantChoice
  /// Whether a check of the store is enqueued.
  private var isToLook = false

  /// - Parameter state: `.restoring`, or the state of an `Auth` that has no session to read.
  nonisolated init(
    _ environment: EngineEnvironment, state: EngineState, tenant: TenantChoice, needsLock: Bool, keepsUsers: Bool
  ) {
    self.environment = environment
    self.state = state
    self.tenant = tenant
    store = SessionStore(environment.dependencies, needsLock: needsLock, keepsUsers: keepsUsers)
    listeners = ListenerHub(current: state.isSignedOut ? .signedOut : nil)
  }

  /// Sets the observer, which reacts to changes. Called before anything else changes the session.
  func tell(_ observer: any SessionObserver) {
    self.observer = observer
    store.tell { [weak self] stored, session in self?.meet(stored, with: session) }
  }

  // MARK: Restoring

  /// Reads the stored session. The result is dropped if a sign-in or sign-out came first.
  ///
  /// - Parameter loaded: the stored session, if it was read just before; then the store is not called.
  func restore(from loaded: Result<StoredSession?, AuthError>? = nil) {
    if let loaded {
      _ = restored(loaded)
      return
    }
    let promise = Promise<Void, AuthError>(awaitingTurnOn: store.queue)
    restoring = promise
    _ = store.turn("restore") { (turn) throws(AuthError) in
      let loaded = await outcome { () throws(AuthError) in try await turn.load() }
      self.restoring = nil
      promise.resolve(self.restored(loaded))
    }
  }

  /// Reads the stored session again, if it could not be read.
  func restoreIfUnavailable() {
    guard case .unavailable = state else { return }
    state = .restoring
    restore()
  }

  private func restored(_ loaded: Result<StoredSession?, AuthError>) -> Result<Void, AuthError> {
    guard case .restoring = state else { return .success(()) }
    switch loaded {
    case .success(let stored): begin(with: stored)
    case .failure(let error):
      state = .unavailable(error)
      environment.log(.error, "the stored session could not be read: \(error)")
      return .failure(error)
    }
    return .success(())
  }

  /// Sets the first state that is known.
  private func begin(with stored: StoredSession?) {
    guard let stored else { return settle(.signedOut(nil)) }
    if tenant.admits(stored) { install(UserSession(stored)) } else { settle(.signedOut(.ofOtherTenant(stored))) }
  }

  // MARK: Watching

  /// Begins to follow other programs' changes to the store.
  func watch() {
    WorkQueue.start("watch") { [weak self, store] in
      let result = await outcome { () throws(AuthError) in
        try await store.beginWatching { [weak self] in self?.look() }
      }
      if case .failure(let error) = result {
        self?.environment.log(.warning, "changes by other programs are not seen at once: \(error)")
      }
    }
  }

  /// Reads the store, in its turn. Changes that arrive meanwhile share that read.
  private func look() {
    guard !isToLook, !state.isClosed else { return }
    isToLook = true
    _ = store.turn("look") { (turn) throws(AuthError) in
      self.isToLook = false
      let loaded = await outcome { () throws(AuthError) in try await turn.load() }
      switch loaded {
      case .success(let stored): self.follow(stored)
      // A failed read changes nothing but its reason; the store is read again at the next change.
      case .failure(let error): if case .unavailable = self.state { self.state = .unavailable(error) }
      }
    }
  }

  /// Applies what another program has stored.
  ///
  ///     here                  the store holds              then
  ///     a user is signed in   the same session             the two versions are merged
  ///     a user is signed in   none                         the user is signed out
  ///     any                   another session              its user is signed in
  ///     a user is signed in   another tenant's session     the user is signed out
  ///     nothing is known yet  any                          that is the first state
  private func follow(_ stored: StoredSession?) {
    switch state {
    case .signedIn(let session):
      guard let stored, !stored.session.isExactly(session.id), tenant.admits(stored) else {
        return meet(stored, with: session)
      }
      install(UserSession(stored), endingTheLast: "another process signed a user in")
    case .signedOut: if let stored, tenant.admits(stored) { install(UserSession(stored)) }
    case .unavailable: begin(with: stored)
    case .restoring, .closed: break
    }
  }

  // MARK: States

  /// Makes a session the current one, and ends the previous one.
  func install(_ session: UserSession, endingTheLast why: String = "another user signed in") {
    state.session?.ending = .sessionEnded(why)
    state = .signedIn(session)
    announce()
    observer?.currentSessionChanged()
  }

  /// Ends the current session, if there is one, and notifies the listeners.
  func settle(_ newState: EngineState, ending: AuthError? = nil) {
    state.session?.ending = ending
    state = newState
    observer?.currentSessionChanged()
    announce()
  }

  /// Ends the current session in memory at once, and enqueues its erasure.
  func end(_ session: UserSession, because error: AuthError) {
    guard state.session === session else { return }
    settle(.signedOut(nil), ending: error)
    erase(.session(session.name))
  }

  /// Closes the keeper after the last write. The session stays in the store.
  func close() {
    state.session?.ending = .closed
    state = .closed
    observer?.currentSessionChanged()
    listeners.endAll()
  }

  /// Publishes the state to the listeners, which drop events that they have already received. A session whose change is
  /// not complete is published when it is: an event comes when all that it announces can be read.
  func announce() {
    switch state {
    case .signedIn(let session) where session.unannounced != nil: break
    case .signedIn(let session): listeners.publish(SessionEvent(session: session, idToken: session.tokens.idToken))
    case .signedOut: listeners.publish(.signedOut)
    case .restoring, .unavailable, .closed: break
    }
  }

  // MARK: The store

  /// Publishes a change of a session, and enqueues its save. The promise resolves when the store has the change.
  ///
  /// If the store fails, callers that wait for a valid token still get it: the failure is logged, and `flush()` tries
  /// again and throws.
  @discardableResult
  func save(_ session: UserSession) -> Promise<Void, AuthError> {
    announce()
    return store.save(session) { self.environment.log(.error, "the session could not be stored: \($0)") }
  }

  /// Completes a sign-in that is stored: its session becomes the current one, and those that it has replaced are not
  /// put back any more.
  func complete(_ session: UserSession, as stored: StoredSession) {
    session.known = stored
    session.isComplete = true
    install(session)
    guard session.unsaved != nil else { return }
    store.save(session) {
      self.environment.log(.error, "the session that this sign-in has replaced is still in the store: \($0)")
    }
  }

  /// Saves tokens that come too late for a session that is not current any more. The store may have set it aside, and
  /// then these may be its only valid ones. A session that has ended is not stored, and stays ended.
  func keepLate(_ tokens: SessionTokens, revoking: Bool = false, of session: UserSession) {
    guard session.ending?.code == .sessionEnded else { return }
    session.tokens = tokens
    if revoking { session.revocations += 1 }
    save(session)
  }

  /// Erases a session; every later turn of the store retries a failed erasure first.
  func erase(_ erasure: OwedWrites.Erasure) {
    store.erase(erasure) {
      self.environment.log(.error, "the ended session could not be erased from the store: \($0)")
    }
  }

  /// Waits until everything is durable. Failed writes are retried once.
  func flush(timeout: Double, despiteClocks: Bool) async throws(AuthError) {
    try await environment.wait(for: store.flush(), "flush", timeout: timeout, despiteClocks: despiteClocks)
  }

  /// Compares a session with the store's contents, which another process may have written. Called within the store's
  /// turn that read them, so that nothing changes in between.
  ///
  ///     the store holds              then
  ///     another session, or none     this session has ended elsewhere
  ///     the same session             the two versions are merged
  func meet(_ stored: StoredSession?, with session: UserSession) {
    guard let stored, stored.session.isExactly(session.id) else {
      guard state.session === session else { return }
      let why = stored == nil ? "another process signed this user out" : "another process signed a user in"
      return settle(.signedOut(.sessionEnded(why)), ending: .sessionEnded(why))
    }
    let (hasChanged, mustAsk) = session.merge(stored)
    if mustAsk { observer?.profileMustBeAsked(of: session) }
    guard hasChanged else { return }
    announce()
    observer?.currentSessionChanged()
  }
}

/// Reacts to changes that the keeper finds in the store. The engine conforms to it.
@WorkQueue
protocol SessionObserver: AnyObject {
  /// The current session has changed or ended, or has other tokens.
  func currentSessionChanged()

  /// Two `Auth`s have different profiles, and the clocks cannot tell which is newer.
  func profileMustBeAsked(of session: UserSession)
}
