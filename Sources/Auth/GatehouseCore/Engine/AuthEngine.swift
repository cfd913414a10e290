package import GatehouseBase
package import GatehouseQueues

/// The engine of one `Auth`. Owns its parts, and answers the public calls with its `…Internal` methods.
///
/// Each part owns its state, and asks only the parts before it:
///
///     part               its state                                         asks
///     `Outside`          what the app handed in, threads for its backend   the app's code, off the work queue
///     `Gate`             whether calls may begin
///     `SessionKeeper`    which session is current, its store, listeners    `Outside`
///     `TokenService`     refreshes and the alarm for the next one          the parts above
///     `AccountChanges`   changes in flight                                 the parts above
///     `SignIns`          sign-ins in flight                                the parts above, but for `AccountChanges`
///     `AuthEngine`       the end of this `Auth`                            all
///
/// The engine cannot call the public calls back: it lives in a module that cannot import theirs.
@WorkQueue
package final class AuthEngine {
  let outside: Outside
  let gate: Gate
  let keeper: SessionKeeper
  let tokens: TokenService
  let account: AccountChanges
  let signIns: SignIns
  /// Begun by the first `close()`; every other one waits for it too.
  var closing: Promise<Void, AuthError>?

  package nonisolated let timeouts: Timeouts
  package nonisolated let callbacks: CallbackQueue
  /// The queue of the streams' events: resuming a reader may run its executor, and that is not ours.
  package nonisolated let streams = CallbackQueue.ofBackground()

  /// - Parameters:
  ///   - surroundings: emptied on the callback queue, when the engine and its last operation have gone.
  ///   - rotates: whether the backend rotates refresh tokens, so that this `Auth` must have the store for itself.
  ///   - refusal: the error of every call, for an `Auth` that has no configuration; it restores nothing.
  package nonisolated init(
    _ surroundings: TakeOnce<Surroundings>, callbacks: CallbackQueue, timeouts: Timeouts,
    refreshesAutomatically: Bool, rotates: Bool, refusal: AuthError? = nil
  ) {
    self.callbacks = callbacks
    self.timeouts = timeouts
    outside = Outside(surroundings, callbacks: callbacks, timeouts: timeouts)
    gate = Gate(refusal: refusal)
    keeper = SessionKeeper(outside, state: refusal.map { .signedOut($0) } ?? .restoring, needsLock: rotates)
    tokens = TokenService(gate, keeper, outside, refreshesAutomatically: refreshesAutomatically)
    account = AccountChanges(gate, keeper, tokens, outside)
    signIns = SignIns(gate, keeper, tokens, outside)
    CallInPlace.use { surroundings.current?.logger }
    if let refusal {
      EngineLog.write(.error, to: outside.app.logger, "\(refusal)")
      return
    }
    WorkQueue.start("restore") {
      self.keeper.tell(self)
      self.keeper.restore()
    }
  }

  /// What the app handed in: there while the engine lives.
  package nonisolated var app: Surroundings { outside.app }

  package var state: EngineState { keeper.state }
}

extension AuthEngine: SessionObserver {
  func currentSessionChanged() { tokens.schedule() }
  func profileMustBeAsked(of session: UserSession) { account.reloadInBackground(session) }
}
