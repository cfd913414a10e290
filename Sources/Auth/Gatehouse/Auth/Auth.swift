import GatehouseCore
import GatehouseQueues
package import IdentityToolkit
import Logging

/// Manages one signed-in user at a time; usable from any thread.
///
/// - Asynchronous calls begin on Gatehouse's work queue at once. The `async` forms resume their caller directly; the
///   completion forms are called exactly once, on the callback queue.
/// - Synchronous calls wait for the work queue, which is quick, and never for a store or a server. They may be called
///   from anywhere: a callback, a listener, a store, a backend, a `deinit`.
/// - You may make several; each has its own session. Several on one store share a session safely, even in different
///   processes: one at a time refreshes it, and the others receive its tokens. A refresh that has waited five seconds
///   for another program continues without it. If the backend rotates refresh tokens, the refresh throws `.storeInUse`
///   instead, and the current token is used until it expires.
public final class Auth: Sendable {
  let engine: AuthEngine

  /// Begins to read the stored session; `ready()` waits until it is read.
  public convenience init(_ configuration: Configuration) {
    self.init(configuration, Abilities(of: configuration), refusal: nil)
  }

  /// Calls none of the app's code.
  ///
  /// - Parameters:
  ///   - refusal: the error that every call throws, if there is no usable configuration.
  ///   - loaded: the stored session, if it was read just before.
  init(
    _ configuration: Configuration, _ abilities: Abilities, refusal: AuthError?,
    loaded: Result<StoredSession?, AuthError>? = nil
  ) {
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
      rotates: abilities.rotates, followsStore: configuration.followsStore, tenantID: configuration.tenantID,
      keepsUsers: abilities.keepsUsers, refusal: refusal, loaded: loaded)
  }

  /// Makes an `Auth` of the same session.
  init(_ engine: AuthEngine) { self.engine = engine }

  /// The backend, for calls that its own module adds.
  package var backend: any Backend { engine.app.backend }

  /// The state of this `Auth`. While it is `.restoring`, `ready()` waits until the stored session is read.
  public var state: AuthState { read { AuthState(engine.stateInternal(), engine) } }

  /// The signed-in user; also `nil` while the stored session is being read. `ready()` waits until it is read.
  public var currentUser: User? {
    let session = read { engine.currentSessionInternal() }
    // Not inside that `sync`: Swift checks the isolation of a closure passed on from the work queue at run time, which
    // is slow.
    return session.map { User($0, engine) }
  }

  /// Whether tokens are refreshed before they expire.
  public var refreshesAutomatically: Bool {
    get { read { engine.refreshesAutomaticallyInternal() } }
    set { workQueue { engine.setAutoRefreshInternal(newValue) } }
  }

  /// Ends the session, at once in memory and then in the store; `flush()` waits for the latter.
  ///
  /// A refresh or sign-in in flight ends, and its result is dropped. Never waits for the network. Also erases a damaged
  /// stored session.
  /// - Throws: `.closed`, or the store's error while the stored session cannot be read for a reason other than damage;
  ///   nothing is deleted then.
  public func signOut() throws {
    try workQueue { () throws(AuthError) in try engine.signOutInternal() }
  }

  /// The statistics of the work queue so far. All `Auth`s of the process share the queue.
  public static var diagnostics: QueueDiagnostics { WorkQueue.diagnostics }
}

extension Auth {
  /// The answers of the app's backend and store about themselves.
  struct Abilities: Sendable {
    /// Whether the backend rotates refresh tokens.
    let rotates: Bool
    /// Whether the store keeps the session that a sign-in replaces.
    let keepsUsers: Bool
  }
}

extension Auth.Abilities {
  init(of configuration: Auth.Configuration) {
    self.init(rotates: configuration.backend.rotatesRefreshTokens, keepsUsers: configuration.store.shelf != nil)
  }
}

extension Auth: Hashable {
  /// Whether both manage the same session.
  public static func == (one: Auth, other: Auth) -> Bool { one.engine === other.engine }
  /// Hashes the session's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(engine)) }
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
