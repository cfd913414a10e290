package import GatehouseBase
import GatehouseQueues

// From the stored session to `close()`.
extension AuthEngine {
  /// Reads the stored session; a sign-in or sign-out that came before it has ended makes its result moot.
  func restore() {
    let promise = Promise<Void, AuthError>(awaitingTurnOn: store.queue)
    restoring = promise
    _ = store.turn("restore") { (turn) throws(AuthError) in
      let loaded = await outcome { () throws(AuthError) in try await turn.load() }
      self.restoring = nil
      promise.resolve(self.restored(loaded))
    }
  }

  private func restored(_ loaded: Result<StoredSession?, AuthError>) -> Result<Void, AuthError> {
    guard case .restoring = state else { return .success(()) }
    switch loaded {
    case .success(let stored?): install(UserSession(stored))
    case .success(nil): settle(.signedOut(nil))
    case .failure(let error):
      state = .unavailable(error)
      log(.error, "the stored session could not be read: \(error)")
      return .failure(error)
    }
    return .success(())
  }

  /// Awaits the end of restoring, or of the `Auth`. When the store could not be read, or is in use by another `Auth`
  /// that must have it alone, it is read again; its error is thrown.
  package func readyInternal(timeout: Duration?) async throws(AuthError) {
    try checkOpen()
    if case .unavailable = state {
      state = .restoring
      restore()
    }
    guard case .restoring = state, let restoring else { return }
    try await wait(for: restoring, "ready", timeout: timeout?.inSeconds ?? timeouts.call)
    try checkOpen()
  }

  /// Awaits that everything is durable. What failed is tried once more.
  package func flushInternal(timeout: Duration?) async throws(AuthError) {
    let flushed = store.flush { outcome, session in
      if case .conflict(let stored) = outcome { self.meet(stored, with: session) }
    }
    try await wait(for: flushed, "flush", timeout: timeout?.inSeconds ?? timeouts.store)
  }

  /// Ends this `Auth` in good order. Sign-ins in flight end with `.closed`; a refresh or a change of the account that
  /// was sent is awaited, because its answer may hold the only good token; what was to be stored is stored. Every
  /// `close()` waits for the same end and hears of the same failure, and cancelling one cancels nothing.
  package func closeInternal(timeout: Duration?) async throws(AuthError) {
    try checkNotAwaited()
    if let closing { return try await closing.value() }
    let promise = Promise<Void, AuthError>()
    closing = promise
    autoRefresh?.cancel()
    let calls = calls  // out first: those who are released may call
    self.calls = [:]
    for call in calls.values { call(.closed) }
    restoring?.resolve(.failure(.closed))
    WorkQueue.start("close") { promise.resolve(await self.finish(timeout: timeout)) }
    try await promise.value()
  }

  /// Asked before a call begins that waits for the store and for all that was sent for the session.
  private func checkNotAwaited() throws(AuthError) {
    try store.queue.checkNotHeld()
    try state.session?.profileQueue.checkNotHeld()
    try state.session?.tokenQueue.checkNotHeld()
  }

  /// - Returns: the first failure; the rest is done all the same.
  private func finish(timeout: Duration?) async -> Result<Void, AuthError> {
    var result = Result<Void, AuthError>.success(())
    if let session = state.session {
      let drained = session.profileQueue.enqueue("drain", deadline: nil) { () throws(AuthError) in
        try await session.tokenQueue.run("drain", deadline: nil) { () throws(AuthError) in }
      }
      result = await outcome { () throws(AuthError) in
        try await wait(for: drained, "close", timeout: timeout?.inSeconds ?? timeouts.call)
      }
    }
    let flushed = await outcome { () throws(AuthError) in try await flushInternal(timeout: timeout) }
    if case .success = result { result = flushed }
    state.session?.ending = .closed
    state = .closed
    autoRefresh?.cancel()
    listeners.endAll()
    let released = store.release()  // behind what is still to be stored
    if case .failure(let error) = flushed, error.code == .deadlineExceeded { return result }
    _ = await outcome { () throws(AuthError) in
      try await wait(for: released, "close", timeout: timeout?.inSeconds ?? timeouts.store)
    }
    return result
  }

  // MARK: States

  /// Makes a session the current one; ends the one before.
  func install(_ session: UserSession) {
    state.session?.ending = .sessionEnded("another user signed in")
    state = .signedIn(session)
    announce()
    scheduleAutoRefresh()
  }

  /// Ends the current session, if there is one, and tells the listeners.
  func settle(_ newState: EngineState, ending: AuthError? = nil) {
    state.session?.ending = ending
    state = newState
    autoRefresh?.cancel()
    autoRefresh = nil
    announce()
  }

  /// Tells the listeners where things stand; they drop what they have heard.
  func announce() {
    switch state {
    case .signedIn(let session): listeners.publish(SessionEvent(session: session, idToken: session.tokens.idToken))
    case .signedOut: listeners.publish(SessionEvent(session: nil, idToken: nil))
    case .restoring, .unavailable, .closed: break
    }
  }
}
