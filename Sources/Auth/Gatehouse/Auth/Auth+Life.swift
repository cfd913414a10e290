import GatehouseCore
import GatehouseQueues

extension Auth {
  /// Waits until the stored session has been read; `currentUser` is known from then on.
  ///
  /// - Throws: the store's error when the stored session could not be read; another call tries again. `.closed` when
  ///   this `Auth` is closed meanwhile.
  public func ready(timeout: Duration? = nil) async throws {
    try await onWorkQueue { [engine] () throws(AuthError) in try await engine.readyInternal(timeout: timeout) }
  }

  /// Waits until the stored session has been read.
  public func ready(timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>) {
    engine.deliver(to: completion) { [engine] () throws(AuthError) in try await engine.readyInternal(timeout: timeout) }
  }

  /// Flushes as `flush()` does, and blocks the calling thread meanwhile, for `patience` at most.
  package func flushNow(patience: Duration) { engine.flushNow(patience: patience) }

  /// Waits until everything so far is durable in the store: changes, sign-outs, and the undoing of abandoned sign-ins.
  /// Failed writes are retried once. If the retry fails, its error is thrown, and the next `flush()` tries again.
  public func flush(timeout: Duration? = nil) async throws {
    try await onWorkQueue { [engine] () throws(AuthError) in try await engine.flushInternal(timeout: timeout) }
  }

  /// Waits until everything so far is durable in the store.
  public func flush(timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>) {
    engine.deliver(to: completion) { [engine] () throws(AuthError) in try await engine.flushInternal(timeout: timeout) }
  }

  /// Shuts this `Auth` down gracefully: no new call begins, sign-ins in flight end with `.closed`, a refresh or change
  /// that was sent is awaited, pending writes are stored, the listeners are released and the streams end. The session
  /// stays in the store, and the store's lock is released. All `close()` calls wait for the same shutdown, each until
  /// its own timeout; the last of these ends it. Cancelling one does not stop it.
  ///
  /// - Throws: The store's error, if a write failed. The `Auth` is still closed.
  public func close(timeout: Duration? = nil) async throws {
    try await onWorkQueue { [engine] () throws(AuthError) in try await engine.closeInternal(timeout: timeout) }
  }

  /// Shuts this `Auth` down gracefully.
  public func close(timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>) {
    engine.deliver(to: completion) { [engine] () throws(AuthError) in try await engine.closeInternal(timeout: timeout) }
  }
}
