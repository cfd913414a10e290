import Foundation
public import GatehouseBase
import GatehouseCore
import GatehouseQueues

/// Keeps the tokens of many accounts fresh, and lends them; usable from any thread.
///
///     let agent = Agent()
///     try agent.add("mail", FileSource(path: "/run/mail/token", lifetime: .seconds(600)))
///     try agent.start()
///     let token = try await agent.token(of: "mail", minValidity: .seconds(120))
///
/// - A token that is at hand and lasts is returned at once, whatever its source does.
/// - At most one fetch of an account is in flight, and all who wait share it. `fetchesPerSecond` limits the fetches of
///   all accounts together; the account that was due first is served first.
/// - A token is fresh while more than five minutes, or a fifth of a shorter life, remain on both clocks. It is
///   refreshed shortly before that, at a random moment. So neither a suspend nor a step of the wall clock extends it.
/// - A failed fetch is repeated after an exponential back-off with full jitter, and not before the issuer's
///   `retryAfter`. If only a person can help, the account lends nothing and is not fetched until `refresh` succeeds.
///
/// Asynchronous calls begin on Gatehouse's work queue at once; the `async` form of `token` first looks for a token at
/// hand on its caller's thread. The `async` forms resume their caller directly; the
/// completion forms are called exactly once, on the callback queue. Synchronous calls wait for the work queue only,
/// never for a source. Public calls throw `AuthError`, and nothing else.
public final class Agent: Sendable {
  let engine: AgentEngine

  /// Makes an agent without accounts.
  public init(_ configuration: Configuration = Configuration()) {
    let environment = AgentEnvironment(
      AgentDependencies(
        clocks: configuration.clocks, random: configuration.random, needsPerson: configuration.needsPerson,
        tokenChanged: configuration.tokenChanged),
      callbacks: CallbackQueue(configuration.callbackQueue),
      timeouts: (configuration.callTimeout.inSeconds, configuration.fetchTimeout.inSeconds))
    engine = AgentEngine(environment, fetchesPerSecond: configuration.fetchesPerSecond)
  }

  // MARK: Accounts

  /// Adds an account. Once the agent has started, its first token is fetched at once, within the budget.
  ///
  /// - Parameters:
  ///   - name: the account's name: 1 to 64 ASCII letters, digits and `.`, `_`, `-`, of which the first is no period.
  ///   - source: fetches its tokens. It is never called or released on the work queue.
  /// - Throws: `.invalidArgument` for another name, `.accountExists`, `.closed`.
  public func add(_ name: String, _ source: any TokenSource) throws {
    try AccountName.check(name)
    let now = engine.environment.now
    let account = engine.account(name, source)
    try workQueue { () throws(AuthError) in try engine.addInternal(account, at: now) }
  }

  /// Removes an account. Its waiting callers get `.accountUnknown`; the result of a fetch in flight is dropped.
  ///
  /// - Throws: `.accountUnknown`.
  public func remove(_ name: String) throws {
    try workQueue { () throws(AuthError) in try engine.removeInternal(name) }
  }

  /// The state of all accounts, by name.
  public var statuses: [AccountStatus] {
    let now = engine.environment.now
    return WorkQueue.sync(order: .overtaking) { engine.statusesInternal(at: now) }
  }

  /// Refuses a text that cannot name an account.
  package static func check(_ name: String) throws(AuthError) { try AccountName.check(name) }

  /// Says which texts can name an account.
  package static var nameAdvice: String { AccountName.advice }

  /// The reading of the agent's clocks.
  package var now: ClockReading { engine.environment.now }

  // MARK: Life

  /// Begins to fetch tokens ahead of time. Before this, a token is fetched only when it is asked for.
  ///
  /// - Throws: `.closed`.
  public func start() throws {
    let now = engine.environment.now
    try workQueue { () throws(AuthError) in try engine.startInternal(at: now) }
  }

  /// Shuts the agent down: no new call begins, calls that wait for a fetch that has not begun end with `.closed`, and
  /// fetches in flight are awaited. All `close()` calls wait for the same shutdown; cancelling one does not stop it.
  ///
  /// - Parameter timeout: the maximum time to wait; `nil` for the configuration's `callTimeout`.
  /// - Throws: `.deadlineExceeded` if a fetch is still in flight. The agent is closed all the same.
  public func close(timeout: Duration? = nil) async throws {
    try await onWorkQueue { [engine] () throws(AuthError) in try await engine.closeInternal(timeout: timeout) }
  }

  /// Shuts the agent down.
  public func close(timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>) {
    deliver(to: completion) { [engine] () throws(AuthError) in try await engine.closeInternal(timeout: timeout) }
  }
}

extension Agent {
  /// Runs the completion form of a call.
  func deliver<Value: Sendable>(
    to completion: @escaping Completion<Value>, _ name: StaticString = #function,
    _ operation: @escaping @WorkQueue @Sendable () async throws(AuthError) -> Value
  ) {
    engine.environment.callbacks.deliver(to: completion, name, operation)
  }

  /// Runs the engine's part of a synchronous call that changes something, after all calls made before it.
  private func workQueue<Result: Sendable>(
    _ name: StaticString = #function, _ body: @WorkQueue () throws(AuthError) -> Result
  ) throws(AuthError) -> Result {
    try WorkQueue.sync(name, body)
  }
}
