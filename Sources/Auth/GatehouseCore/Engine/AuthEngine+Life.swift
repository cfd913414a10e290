package import GatehouseBase
import GatehouseQueues

// From the stored session to `close()`.
extension AuthEngine {
  /// Awaits the end of restoring, or of the `Auth`. When the store could not be read, or is in use by another `Auth`
  /// that must have it alone, it is read again; its error is thrown.
  package func readyInternal(timeout: Duration?) async throws(AuthError) {
    try admission.checkOpen()
    keeper.restoreIfUnavailable()
    guard case .restoring = keeper.state, let restoring = keeper.restoring else { return }
    try await environment.wait(for: restoring, "ready", timeout: timeout?.inSeconds ?? timeouts.call)
    try admission.checkOpen()
  }

  /// Awaits that everything is durable. What failed is tried once more.
  package func flushInternal(timeout: Duration?) async throws(AuthError) {
    try admission.checkConfigured()
    try await keeper.flush(timeout: timeout?.inSeconds ?? timeouts.store)
  }

  /// Ends this `Auth` in good order. Sign-ins in flight end with `.closed`; a refresh or a change of the account that
  /// was sent is awaited, because its answer may hold the only good token; what was to be stored is stored. Every
  /// `close()` waits for the same end and gets the same failure, and cancelling one cancels nothing.
  package func closeInternal(timeout: Duration?) async throws(AuthError) {
    try admission.checkConfigured()
    try checkNotAwaited()
    if let closing { return try await closing.value() }
    let promise = Promise<Void, AuthError>()
    closing = promise
    admission.close()
    tokens.cancelAlarm()
    calls.endAll(.closed)
    keeper.restoring?.resolve(.failure(.closed))
    WorkQueue.start("close") { promise.resolve(await self.finish(timeout: timeout)) }
    try await promise.value()
  }

  /// Asked before a call begins that waits for the store and for all that was sent for the session.
  private func checkNotAwaited() throws(AuthError) {
    try keeper.store.queue.checkNotHeld()
    try keeper.state.session?.profileQueue.checkNotHeld()
    try keeper.state.session?.tokenQueue.checkNotHeld()
  }

  /// - Returns: the first failure; the rest is still done.
  private func finish(timeout: Duration?) async -> Result<Void, AuthError> {
    var result = Result<Void, AuthError>.success(())
    if let session = keeper.state.session {
      let drained = session.profileQueue.enqueue("drain", deadline: nil) { () throws(AuthError) in
        try await session.tokenQueue.run("drain", deadline: nil) { () throws(AuthError) in }
      }
      result = await outcome { () throws(AuthError) in
        try await environment.wait(for: drained, "close", timeout: timeout?.inSeconds ?? timeouts.call)
      }
    }
    let flushed = await outcome { () throws(AuthError) in try await flushInternal(timeout: timeout) }
    if case .success = result { result = flushed }
    keeper.close()
    let released = keeper.store.release()  // after what is still to be stored
    if case .failure(let error) = flushed, error.code == .deadlineExceeded { return result }
    _ = await outcome { () throws(AuthError) in
      try await environment.wait(for: released, "close", timeout: timeout?.inSeconds ?? timeouts.store)
    }
    return result
  }
}
