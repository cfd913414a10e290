import GatehouseCore
import GatehouseQueues
package import IdentityToolkit
import Logging

/// One signed-in user at a time, from any thread.
///
/// - Asynchronous calls begin on Gatehouse's work queue at once. The `async` forms resume their caller directly; the
///   completion forms are called exactly once, on the callback queue.
/// - Synchronous calls wait for the work queue, which is quick, and never for a store or a server. They may be made
///   from anywhere: a callback, a listener, a store, a backend, a `deinit`.
/// - Make as many as you like; each has its own session. Two on one store share a session safely, in two processes as
///   well. When the backend rotates refresh tokens one `Auth` at a time has the store, until it is closed or released:
///   the calls of another one throw `.storeInUse`, and its `ready()` tries again.
public final class Auth: Sendable {
  let engine: AuthEngine

  /// Starts to read the stored session; `ready()` awaits the end of that.
  public convenience init(_ configuration: Configuration) { self.init(configuration, refusal: nil) }

  /// - Parameter refusal: the error of every call, where there is no configuration that could serve it.
  init(_ configuration: Configuration, refusal: AuthError?) {
    let dependencies = TakeOnce(
      AppDependencies(
        backend: configuration.backend, store: configuration.store, clocks: configuration.clocks,
        random: configuration.random, logger: configuration.logger))
    engine = AuthEngine(
      dependencies,
      callbacks: CallbackQueue(configuration.callbackQueue, patience: configuration.callbackPatience) {
        dependencies.current?.logger.warning("\($0)")
      },
      timeouts: .init(configuration.timeouts), refreshesAutomatically: configuration.refreshesAutomatically,
      rotates: configuration.backend.rotatesRefreshTokens, followsStore: configuration.followsStore,
      tenantID: configuration.tenantID, keepsUsers: configuration.store.shelf != nil, refusal: refusal)
  }

  /// The backend, for calls that its own module adds.
  package var backend: any Backend { engine.app.backend }

  /// The state of this `Auth`. While it is `.restoring`, `ready()` awaits the end of that.
  public var state: AuthState { read { AuthState(engine.stateInternal(), engine) } }

  /// The signed-in user; `nil` also while the stored session is being read. `ready()` awaits the end of that.
  public var currentUser: User? {
    let session = read { engine.currentSessionInternal() }
    // Not inside that `sync`: a closure passed on from the work queue is checked for its isolation at run time, which
    // is slow.
    return session.map { User($0, engine) }
  }

  /// Whether tokens are refreshed ahead of their expiry.
  public var refreshesAutomatically: Bool {
    get { read { engine.refreshesAutomaticallyInternal() } }
    set { workQueue { engine.setAutoRefreshInternal(newValue) } }
  }

  /// Ends the session, at once in memory and then in the store; `flush()` awaits the latter.
  ///
  /// A refresh or sign-in in flight ends, and its result is dropped. Never waits for the network.
  /// A damaged stored session is erased as well.
  /// - Throws: `.closed`; or the store's error while the stored session cannot be read for another reason: nothing is
  ///   deleted then.
  public func signOut() throws(AuthError) {
    try workQueue { () throws(AuthError) in try engine.signOutInternal() }
  }

  /// The figures of the work queue so far. All `Auth`s of the process share the queue.
  public static var diagnostics: QueueDiagnostics { WorkQueue.diagnostics }
}

extension Auth: Hashable {
  /// Whether both are the same object.
  public static func == (one: Auth, other: Auth) -> Bool { one === other }
  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Runs the engine's part of a public synchronous call that only reads. It may overtake calls that have not begun.
func read<Result: Sendable>(_ name: StaticString = #function, _ body: @WorkQueue () -> Result) -> Result {
  WorkQueue.sync(name, order: .overtaking, body)
}

/// Runs the engine's part of a public synchronous call that changes something, after all calls made before it.
func workQueue<Result: Sendable, Failure: Error>(
  _ name: StaticString = #function, _ body: @WorkQueue () throws(Failure) -> Result
) throws(Failure) -> Result {
  try WorkQueue.sync(name, body)
}

extension GatehouseCore.Timeouts {
  init(_ timeouts: Auth.Timeouts) {
    self.init()
    call = timeouts.call.inSeconds
    refresh = timeouts.refresh.inSeconds
    store = timeouts.store.inSeconds
  }
}
