package import GatehouseBase
package import GatehouseQueues

/// The engine of one `Auth`. It owns its parts, and implements the public calls with its `…Internal` methods.
///
/// Each part owns its state, and calls only the parts before it:
///
///     part                 its state                                       asks
///     `EngineEnvironment`  the app's objects, threads for its backend      the app's code, off the work queue
///     `CallAdmission`      whether calls may begin
///     `SessionKeeper`      the current session, its store, the listeners   `EngineEnvironment`
///     `TokenService`       refreshes and the alarm for the next one        the parts above
///     `AccountChanges`     changes in flight                               the parts above
///     `SignIns`            sign-ins in flight                              the parts above, except `AccountChanges`
///     `SessionlessCalls`   calls in flight that change no session          `EngineEnvironment`, `CallAdmission`
///     `AuthEngine`         the end of this `Auth`                          all
///
/// The engine cannot call the public API: its module cannot import theirs.
@WorkQueue
package final class AuthEngine {
  let environment: EngineEnvironment
  let admission: CallAdmission
  let keeper: SessionKeeper
  let tokens: TokenService
  let account: AccountChanges
  let signIns: SignIns
  let requests: SessionlessCalls
  let calls: CallsInFlight
  /// The language of the messages that the provider sends.
  var languageCode: String?
  /// Created by the first `close()`; every later one waits for it too.
  var closing: Shutdown?

  package nonisolated let timeouts: Timeouts
  package nonisolated let callbacks: CallbackQueue
  /// The queue of the streams' events. Resuming a reader may run its executor, which is the app's code.
  package nonisolated let streams = CallbackQueue.ofBackground()

  /// - Parameters:
  ///   - dependencies: emptied on the callback queue, when the engine and its last operation are released.
  ///   - followsStore: whether to follow other programs' changes to the store.
  ///   - rotates: whether the backend rotates refresh tokens, so that none is sent without the store's lock.
  ///   - tenantID: the tenant whose users sign in; `nil` until the app or the stored session sets it.
  ///   - keepsUsers: whether the store keeps the session that a sign-in replaces.
  ///   - refusal: the error of every call, for an `Auth` without a configuration, which restores nothing.
  ///   - loaded: the stored session, if it was read just before.
  package nonisolated init(
    _ dependencies: TakeOnce<AppDependencies>, callbacks: CallbackQueue, timeouts: Timeouts,
    refreshesAutomatically: Bool, rotates: Bool, followsStore: Bool = true, tenantID: String? = nil,
    keepsUsers: Bool = false, refusal: AuthError? = nil, loaded: Result<StoredSession?, AuthError>? = nil
  ) {
    self.callbacks = callbacks
    self.timeouts = timeouts
    environment = EngineEnvironment(dependencies, callbacks: callbacks, timeouts: timeouts)
    admission = CallAdmission(refusal: refusal)
    keeper = SessionKeeper(
      environment, state: refusal.map { .signedOut($0) } ?? .restoring, tenant: TenantChoice(tenantID),
      needsLock: rotates, keepsUsers: keepsUsers)
    tokens = TokenService(admission, keeper, environment, refreshesAutomatically: refreshesAutomatically)
    account = AccountChanges(admission, keeper, tokens, environment)
    calls = CallsInFlight(environment)
    signIns = SignIns(admission, keeper, tokens, environment, calls, tenantID: tenantID)
    requests = SessionlessCalls(admission, environment, calls)
    CallInPlace.use { dependencies.current?.logger }
    if let refusal {
      environment.log(.error, "\(refusal)")
      return
    }
    WorkQueue.start("restore") {
      self.keeper.tell(self)
      self.keeper.restore(from: loaded)
      if followsStore { self.keeper.watch() }
    }
  }

  /// The app's objects, available while the engine lives.
  package nonisolated var app: AppDependencies { environment.app }

  package var state: EngineState { keeper.state }
}

extension AuthEngine: SessionObserver {
  func currentSessionChanged() {
    if let session = keeper.state.session { signIns.adoptTenant(of: session) }
    tokens.schedule()
    if let session = keeper.state.session { tokens.settleSpending(of: session) }
  }

  func profileMustBeAsked(of session: UserSession) { account.reloadInBackground(session) }
}

extension AuthEngine: nonisolated CustomReflectable {
  /// Empty: `dump` and debuggers read on any thread, and these members belong to the work queue.
  package nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}
