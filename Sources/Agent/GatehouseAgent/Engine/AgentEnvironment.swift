import GatehouseBase
import GatehouseCore
import GatehouseJOSE
import GatehouseQueues

/// The objects that the app configures an agent with. They are never called or released on the work queue.
final class AgentDependencies: Sendable {
  let clocks: any Clocks
  let random: any RandomSource
  let needsPerson: (@Sendable (_ account: String, _ reason: AuthError) -> Void)?
  let tokenChanged: (@Sendable (_ account: String, _ token: LentToken) -> Void)?

  init(
    clocks: any Clocks, random: any RandomSource,
    needsPerson: (@Sendable (_ account: String, _ reason: AuthError) -> Void)?,
    tokenChanged: (@Sendable (_ account: String, _ token: LentToken) -> Void)?
  ) {
    self.clocks = clocks
    self.random = random
    self.needsPerson = needsPerson
    self.tokenChanged = tokenChanged
  }
}

/// The engine's access to the app's clocks, random source and hook, always off the work queue.
final class AgentEnvironment: Sendable {
  let callbacks: CallbackQueue
  let time: Timekeeper
  /// The limits of a caller's wait and of one fetch, in seconds.
  let timeouts: (call: Double, fetch: Double)
  /// Emptied in the `deinit`.
  private let dependencies: TakeOnce<AgentDependencies>

  init(_ dependencies: AgentDependencies, callbacks: CallbackQueue, timeouts: (call: Double, fetch: Double)) {
    let dependencies = TakeOnce(dependencies)
    self.dependencies = dependencies
    self.callbacks = callbacks
    self.timeouts = timeouts
    time = Timekeeper { dependencies.current?.clocks }
  }

  deinit { callbacks.release(dependencies) }

  /// Reads the clocks on the caller's thread, which is not the work queue's.
  var now: ClockReading {
    guard let dependencies = dependencies.current else { preconditionFailure("emptied only in the deinit") }
    return dependencies.clocks.now()
  }

  /// Reads the clocks and draws a number in 0..<1; `nil` if the agent is gone.
  @WorkQueue
  func draw() async -> (now: ClockReading, unit: Double)? {
    await time.run { [dependencies] in dependencies.current.map { ($0.clocks.now(), $0.random.unit()) } }
  }

  /// Tells the app that an account needs a person, on the callback queue.
  @WorkQueue
  func callHook(_ account: String, _ reason: AuthError) {
    callbacks.deliver { [dependencies] in dependencies.current?.needsPerson?(account, reason) }
  }

  /// Tells the app that an account has another token, on the callback queue.
  @WorkQueue
  func callHook(_ account: String, _ token: LentToken) {
    callbacks.deliver { [dependencies] in dependencies.current?.tokenChanged?(account, token) }
  }

  /// Asks a source for a token, off the work queue.
  @WorkQueue
  func fetch(
    _ id: AccountSources.ID, of sources: AccountSources, on threads: PoolShare
  ) async throws(AuthError) -> LentToken {
    try await Background.run(on: threads) { () throws(AuthError) in
      guard let source = sources[id] else { throw .agentClosed }
      let token = try await source.fetch()
      // A line break would be a header field of a caller's request.
      guard token.value.revealed.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), token.value.revealed != "" else {
        throw AuthError(.tokenMalformed, "the \(source.kind) returned a token that no header field can have")
      }
      return token
    }
  }
}
