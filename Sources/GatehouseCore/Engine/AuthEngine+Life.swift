package import GatehouseBase
import GatehouseQueues

// From the stored session to `close()`.
extension AuthEngine {
  /// Reads the stored session; a sign-in or sign-out that came before it has ended makes its result moot.
  func restore() async {
    let promise = restoring ?? Promise<Void>()
    restoring = promise
    let loaded = await outcome { () throws(AuthError) in try await store.load().value() }
    restoring = nil
    guard case .restoring = state else { return promise.resolve(.success(())) }
    switch loaded {
    case .success(let stored?) where !unsettled.contains(stored.session):
      install(UserSession(stored))
      promise.resolve(.success(()))
    case .success:
      settle(.signedOut(nil))
      promise.resolve(.success(()))
    case .failure(let error):
      state = .unavailable(error)
      log(.error, "the stored session could not be read: \(error)")
      promise.resolve(.failure(error))
    }
  }

  /// Awaits the end of restoring. When the store could not be read it is read again; its error is thrown.
  package func readyInternal(timeout: Duration?) async throws(AuthError) {
    try checkOpen()
    if case .unavailable = state {
      state = .restoring
      restoring = Promise()
      WorkQueue.start("restore") { await self.restore() }
    }
    guard case .restoring = state, let restoring else { return }
    try await wait(for: restoring, "ready", timeout: timeout?.inSeconds ?? timeouts.call)
    try checkOpen()
  }

  /// Awaits that everything is durable. A write that failed is tried once more.
  package func flushInternal(timeout: Duration?) async throws(AuthError) {
    let seconds = timeout?.inSeconds ?? timeouts.store
    try await wait(for: store.drained(), "flush", timeout: seconds)
    guard store.failure != nil else { return }
    switch state {
    case .signedIn(let session):
      let write = store.write(
        { session.stored }, if: .sessionBefore(session.id, generation: session.generation))
      if case .conflict(let stored) = try await wait(for: write, "flush", timeout: seconds) {
        meet(stored, with: session)
      }
    case .signedOut, .closed:
      guard let unerased else { return }
      _ = try await wait(for: store.write(nil, if: unerased), "flush", timeout: seconds)
      self.unerased = nil
    case .restoring, .unavailable: return
    }
  }

  /// Ends this `Auth` in good order. Sign-ins in flight end with `.closed`; a refresh or a change of the account that
  /// was sent is awaited, because its answer may hold the only good token; what was to be stored is stored. Every
  /// `close()` waits for the same end and hears of the same failure, and cancelling one cancels nothing.
  package func closeInternal(timeout: Duration?) async throws(AuthError) {
    if let closing { return try await closing.value() }
    let promise = Promise<Void>()
    closing = promise
    autoRefresh?.cancel()
    let calls = calls  // out first: those who are released may call
    self.calls = [:]
    for call in calls.values { call(.closed) }
    WorkQueue.start("close") { promise.resolve(await self.finish(timeout: timeout)) }
    try await promise.value()
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
    return result
  }

  // MARK: States

  /// Makes a session the current one; ends the one before.
  func install(_ session: UserSession) {
    state.session?.ending = .sessionEnded("another user signed in")
    state = .signedIn(session)
    unerased = nil
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
