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
    case .success(let stored?):
      install(UserSession(stored))
      promise.resolve(.success(()))
    case .success(nil):
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
  }

  /// Awaits that everything is durable. A write that failed is tried once more.
  package func flushInternal(timeout: Duration?) async throws(AuthError) {
    let seconds = timeout?.inSeconds ?? timeouts.store
    try await wait(for: store.drained(), "flush", timeout: seconds)
    guard store.failure != nil else { return }
    switch state {
    case .signedIn(let session):
      let write = store.write(session.stored, if: .sessionBefore(session.id, generation: session.generation))
      _ = try await wait(for: write, "flush", timeout: seconds)
    case .signedOut, .closed:
      guard let unerased else { break }
      _ = try await wait(for: store.write(nil, if: unerased), "flush", timeout: seconds)
      self.unerased = nil
    case .restoring, .unavailable: break
    }
  }

  /// Ends this `Auth` in good order: sign-ins in flight end with `.closed`; a refresh or a change of the account that
  /// was sent is awaited, because its answer may hold the only good token; what was to be stored is stored.
  package func closeInternal(timeout: Duration?) async throws(AuthError) {
    guard !isClosing else { return }
    isClosing = true
    autoRefresh?.cancel()
    let calls = calls  // out first: those who are released may call
    self.calls = [:]
    for call in calls.values { call(.closed) }
    let durable = await outcome { () throws(AuthError) in
      if let session = state.session {
        let seconds = timeout?.inSeconds ?? timeouts.call
        for queue in [session.profileQueue, session.tokenQueue] {
          let drained = queue.enqueue("drain", timeout: nil, clocks: try outside().clocks) { () throws(AuthError) in }
          try await wait(for: drained, "close", timeout: seconds)
        }
      }
      try await flushInternal(timeout: timeout)
    }
    state.session?.ending = .closed
    state = .closed
    listeners.endAll()
    try durable.get()
  }

  // MARK: States

  /// Makes a session the current one; ends the one before.
  func install(_ session: UserSession, endingOther why: String = "another user signed in") {
    if let old = state.session, old !== session { old.ending = .sessionEnded(why) }
    session.ending = nil
    state = .signedIn(session)
    announce()
    scheduleAutoRefresh()
  }

  /// Ends the current session, if there is one, and tells the listeners.
  func settle(_ newState: EngineState, ending: AuthError? = nil) {
    state.session?.ending = ending ?? .sessionEnded("the user signed out")
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
