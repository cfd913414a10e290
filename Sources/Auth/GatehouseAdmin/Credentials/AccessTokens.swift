import GatehouseBase
import GatehouseQueues

/// The access token of a credential. It is cached until shortly before its expiry, and fetched once for all waiting
/// callers.
///
/// A fetch continues if a caller that waits for it is cancelled. If a fetch fails, its waiting callers get the error,
/// and the next call tries again. Called on background threads.
final class AccessTokens: Sendable {
  private let clocks: any Clocks
  private let fetch: @Sendable () async throws(AuthError) -> AccessToken
  private let shelf = TokenShelf()

  init(clocks: any Clocks, fetch: @escaping @Sendable () async throws(AuthError) -> AccessToken) {
    self.clocks = clocks
    self.fetch = fetch
  }

  /// Returns a token that stays valid for some time.
  func token() async throws(AuthError) -> Secret {
    let now = clocks.now().boot
    let joined = await WorkQueue.result(of: { [shelf] () async throws(AuthError) in try shelf.join(at: now) })
    let turn = try joined.typed()
    if turn.begins {
      // Not in the caller's task, which may be cancelled: others wait for this too.
      _ = Background.start { [fetch, shelf] in
        let result = await outcome(of: fetch)
        WorkQueue.async("end a fetch of a token") { shelf.end(turn.outcome, result) }
      }
    }
    switch await WorkQueue.result(of: { () async throws(QueueFailure<AuthError>) in try await turn.outcome.value() }) {
    case .success(let token): return token.secret
    case .failure(.work(let error)): throw error
    case .failure: throw .cancelled
    }
  }

  /// Drops a token that a server has refused.
  func forget(_ token: Secret) async {
    _ = await WorkQueue.result(of: { [shelf] () async throws(AuthError) in shelf.forget(token) })
  }
}

/// The current token and the fetch in flight. Holds no object of the app's.
@WorkQueue
private final class TokenShelf {
  typealias Outcome = Promise<AccessToken, QueueFailure<AuthError>>

  /// What a caller waits for, and whether this caller starts the fetch.
  struct Turn: Sendable {
    let outcome: Outcome
    var begins = false
  }

  private var token: AccessToken?
  private var underWay: (outcome: Outcome, begunAt: Double)?

  /// A fetch that has not ended after this many seconds is no longer waited for: its transport has ignored its timeout.
  private static let patience = 60.0

  nonisolated init() {}

  func join(at now: Double) throws(AuthError) -> Turn {
    guard !Task.isCancelled else { throw .cancelled }
    if let underWay, now - underWay.begunAt < Self.patience { return Turn(outcome: underWay.outcome) }
    let outcome = Outcome()
    if let token, now < token.freshUntil {
      outcome.resolve(.success(token))
      return Turn(outcome: outcome)
    }
    underWay = (outcome, now)
    return Turn(outcome: outcome, begins: true)
  }

  func end(_ outcome: Outcome, _ result: Result<AccessToken, AuthError>) {
    if underWay?.outcome === outcome {
      token = try? result.get()
      underWay = nil
    }
    outcome.resolve(result.mapError { .work($0) })
  }

  func forget(_ refused: Secret) {
    if token?.secret == refused { token = nil }
  }
}
