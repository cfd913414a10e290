import GatehouseCore
import GatehouseQueues

extension Auth {
  /// Awaits the end of restoring: from then on `currentUser` is known.
  ///
  /// - Throws: the store's error when the stored session could not be read, and `.storeInUse` when another `Auth` must
  ///   have the store alone. Another call tries again. `.closed` when this `Auth` is closed meanwhile.
  public func ready(timeout: Duration? = nil) async throws(AuthError) {
    try await onWorkQueue { [engine] () throws(AuthError) in try await engine.readyInternal(timeout: timeout) }
  }

  /// Awaits the end of restoring.
  public func ready(timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>) {
    engine.deliver(to: completion) { [engine] () throws(AuthError) in try await engine.readyInternal(timeout: timeout) }
  }

  /// Awaits that everything so far is durable in the store: changes, sign-outs, the undoing of sign-ins that are over.
  /// What failed is tried once more. If it fails again its error is thrown, and the next `flush()` tries it again.
  public func flush(timeout: Duration? = nil) async throws(AuthError) {
    try await onWorkQueue { [engine] () throws(AuthError) in try await engine.flushInternal(timeout: timeout) }
  }

  /// Awaits that everything so far is durable in the store.
  public func flush(timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>) {
    engine.deliver(to: completion) { [engine] () throws(AuthError) in try await engine.flushInternal(timeout: timeout) }
  }

  /// Ends this `Auth` in good order: no new call begins, sign-ins in flight end with `.closed`, a refresh or change
  /// that was sent is awaited, what was to be stored is stored, the listeners are released and the streams end. The
  /// session stays in the store, and a store that this `Auth` had alone is given back. Every `close()` waits for the
  /// same end; cancelling one does not stop it.
  ///
  /// - Throws: the store's error, when something could not be stored. The `Auth` is still closed.
  public func close(timeout: Duration? = nil) async throws(AuthError) {
    try await onWorkQueue { [engine] () throws(AuthError) in try await engine.closeInternal(timeout: timeout) }
  }

  /// Ends this `Auth` in good order.
  public func close(timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>) {
    engine.deliver(to: completion) { [engine] () throws(AuthError) in try await engine.closeInternal(timeout: timeout) }
  }
}
