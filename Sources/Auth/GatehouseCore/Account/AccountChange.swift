import GatehouseBase
import GatehouseQueues

/// One change of an account, from its call to its completion.
@WorkQueue
final class AccountChange {
  let session: UserSession
  var promise: Promise<Void, AuthError>?
  /// Whether the caller has left, or the change has failed, so that it must not be sent any more.
  var isAbandoned = false
  /// Whether the provider may have received the change.
  var isSent = false
  /// Whether its error is about a credential, and tells nothing about the session.
  var isCredentialRefused = false
  /// The change's mark in the store, if it revokes tokens.
  var mark: PendingRevocation?
  /// Resolves when the store has the tokens of the change.
  var stored: Promise<Void, AuthError>?

  init(of session: UserSession) { self.session = session }

  /// Throws if the caller has left or the deadline has passed. Called before the change is sent.
  func checkWanted() throws(AuthError) {
    if isAbandoned || promise?.isResolved == true || Task.isCancelled { throw .cancelled }
    try session.checkLive()
  }
}
