import GatehouseBase
import GatehouseQueues

/// One change of an account, from its call to its end.
@WorkQueue
final class AccountChange {
  let session: UserSession
  var promise: Promise<Void, AuthError>?
  /// Whether its caller has left, or it has failed, so that it is not to be sent any more.
  var isAbandoned = false
  /// Whether the provider may have heard of it.
  var isSent = false
  /// Its mark in the store, if it revokes tokens.
  var mark: PendingRevocation?
  /// Resolves when the store has the change's tokens.
  var stored: Promise<Void, AuthError>?

  init(of session: UserSession) { self.session = session }

  /// Throws when the caller has left, or the deadline has passed: asked before the change is sent.
  func checkWanted() throws(AuthError) {
    if isAbandoned || promise?.isResolved == true || Task.isCancelled { throw .cancelled }
    try session.checkLive()
  }
}
