public import GatehouseBase
import GatehouseQueues

/// A token source for tests, whose answers the test controls. Usable from any thread.
///
/// By default it returns tokens `token-1`, `token-2` and so on. A test can hold calls until it releases them, make the
/// next ones fail, choose the lifetime of the tokens, run code inside a call, and count the calls.
public final class ScriptedTokenSource: TokenSource {
  private struct State: Sendable {
    var lifetime: Duration
    var calls = 0
    var atOnce = 0
    var mostAtOnce = 0
    var isHolding = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    var failures: [AuthError] = []
    var failure: AuthError?
    var hook: (@Sendable () async -> Void)?
  }

  private let clocks: any Clocks
  private let state: Lock<State>
  /// `scripted`.
  public let kind = "scripted"

  /// Makes a source.
  ///
  /// - Parameters:
  ///   - clocks: the clocks that show when a token was received.
  ///   - lifetime: the lifetime of its tokens.
  public init(clocks: any Clocks, lifetime: Duration = .seconds(3600)) {
    self.clocks = clocks
    state = Lock(State(lifetime: lifetime))
  }

  /// Returns the next token, or throws the error that the test has scripted.
  public func fetch() async throws(AuthError) -> LentToken {
    await begin()
    if let hook = state.withLock({ $0.hook }) { await hook() }
    let result: Result<(number: Int, lifetime: Duration), AuthError> = state.withLock { state in
      state.atOnce -= 1
      if !state.failures.isEmpty { return .failure(state.failures.removeFirst()) }
      if let failure = state.failure { return .failure(failure) }
      return .success((state.calls, state.lifetime))
    }
    let (number, lifetime) = try result.typed()
    return LentToken(Secret("token-\(number)"), lifetime: lifetime, received: clocks.now())
  }

  private func begin() async {
    await withCheckedContinuation { continuation in
      let (goesOn, seen) = state.withLock { state in
        state.calls += 1
        state.atOnce += 1
        state.mostAtOnce = max(state.mostAtOnce, state.atOnce)
        let count = state.calls
        let seen = state.watchers.filter { $0.count <= count }.map(\.continuation)
        state.watchers.removeAll { $0.count <= count }
        if state.isHolding { state.waiting.append(continuation) }
        return (!state.isHolding, seen)
      }
      for watcher in seen { watcher.resume() }
      if goesOn { continuation.resume() }
    }
  }

  // MARK: Controlling calls

  /// Keeps calls waiting, cancelled or not, until `release()`.
  public func hold() { state.withLock { $0.isHolding = true } }

  /// Releases the calls, in the order in which they arrived.
  public func release() {
    let waiting = state.withLock { state in
      state.isHolding = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Makes the next calls fail, one for each error.
  public func fail(_ errors: AuthError...) { state.withLock { $0.failures += errors } }

  /// Makes every call fail from now on; `nil` ends that.
  public func failAlways(_ error: AuthError?) { state.withLock { $0.failure = error } }

  /// Runs inside every call, before it is answered.
  public func onCall(_ hook: (@Sendable () async -> Void)?) { state.withLock { $0.hook = hook } }

  /// The lifetime of the tokens.
  public var lifetime: Duration {
    get { state.withLock { $0.lifetime } }
    set { state.withLock { $0.lifetime = newValue } }
  }

  // MARK: Inspecting calls

  /// The number of calls so far.
  public var calls: Int { state.withLock { $0.calls } }

  /// The highest number of calls that were in progress at the same time.
  public var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }

  /// Waits until `count` calls have arrived.
  public func waitForCall(count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.calls >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}
