package import GatehouseBase
import GatehouseQueues

// The life of an engine, from reading the stored session to `close()`.
extension AuthEngine {
  /// Waits until the stored session has been read, or the `Auth` was closed. If the store could not be read, it is read
  /// again; its error is thrown.
  package func readyInternal(timeout: Duration?) async throws(AuthError) {
    try admission.checkOpen()
    keeper.restoreIfUnavailable()
    guard case .restoring = keeper.state, let restoring = keeper.restoring else { return }
    try await environment.wait(for: restoring, "ready", timeout: timeout?.inSeconds ?? timeouts.call)
    try admission.checkOpen()
  }

  /// Waits until everything is durable. Failed writes are retried once.
  package func flushInternal(timeout: Duration?) async throws(AuthError) {
    try admission.checkConfigured()
    try await flush(timeout: timeout, despiteClocks: false)
  }

  /// Flushes, and blocks the calling thread meanwhile, for `patience` at most.
  package nonisolated func flushNow(patience: Duration) {
    let isDone = WatchedSemaphore(value: 0)
    WorkQueue.start("flush") {
      _ = await outcome { () throws(AuthError) in try await self.flush(timeout: patience, despiteClocks: true) }
      isDone.signal()
    }
    _ = isDone.wait(timeout: patience)
  }

  private func flush(timeout: Duration?, despiteClocks: Bool) async throws(AuthError) {
    try await keeper.flush(timeout: timeout?.inSeconds ?? timeouts.store, despiteClocks: despiteClocks)
  }

  /// Shuts this `Auth` down gracefully. Sign-ins in flight end with `.closed`. A refresh or a change of the account
  /// that was sent is awaited, because its answer may hold the only valid token. Pending writes are stored. All
  /// `close()` calls wait for the same shutdown, each until its own limit, and get the same failure; cancelling one
  /// cancels nothing.
  package func closeInternal(timeout: Duration?) async throws(AuthError) {
    try admission.checkConfigured()
    try checkNotAwaited()
    let seconds = timeout?.inSeconds ?? timeouts.call
    if let closing { return try await closing.wait(for: seconds) }
    let shutdown = Shutdown(environment)
    closing = shutdown
    admission.close()
    tokens.cancelAlarm()
    calls.endAll(.closed)
    keeper.restoring?.resolve(.failure(.closed))
    WorkQueue.start("close") { shutdown.finish(await self.finish(shutdown, timeout: timeout)) }
    try await shutdown.wait(for: seconds)
  }

  /// Throws if the caller is part of an operation that `close()` waits for: one of the store, or one sent for the
  /// session.
  private func checkNotAwaited() throws(AuthError) {
    try keeper.store.queue.checkNotHeld()
    try keeper.state.session?.profileQueue.checkNotHeld()
    try keeper.state.session?.tokenQueue.checkNotHeld()
  }

  /// - Parameter timeout: the limit of the first caller for each of the store's steps; `nil` for the store's own.
  /// - Returns: the first failure. The remaining steps are still carried out.
  private func finish(_ shutdown: Shutdown, timeout: Duration?) async -> Result<Void, AuthError> {
    var result = Result<Void, AuthError>.success(())
    if let session = keeper.state.session {
      let drained = session.profileQueue.enqueue("drain", deadline: nil) { () throws(AuthError) in
        try await session.tokenQueue.run("drain", deadline: nil) { () throws(AuthError) in
          try await session.refreshes.spending?.value()
        }
      }
      result = await shutdown.untilGivenUp(drained)
    }
    let flushed = await outcome { () throws(AuthError) in try await flush(timeout: timeout, despiteClocks: true) }
    if case .success = result { result = flushed }
    keeper.close()
    let released = keeper.store.release()  // after the pending writes
    if case .failure(let error) = flushed, error.code == .deadlineExceeded { return result }
    _ = await outcome { () throws(AuthError) in
      try await environment.wait(
        for: released, "close", timeout: timeout?.inSeconds ?? timeouts.store, despiteClocks: true)
    }
    return result
  }
}
