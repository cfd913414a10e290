import GatehouseBase
import GatehouseQueues

/// The access token of a credential: kept until shortly before its end, and fetched once for all who wait.
///
/// A fetch goes on when a caller that waits for it is cancelled. One that fails is told to those who wait, and the next
/// call tries again. Called on background threads.
final class AccessTokens: Sendable {
  private let clocks: any Clocks
  private let fetch: @Sendable () async throws(AuthError) -> AccessToken
  private let shelf = TokenShelf()

  init(clocks: any Clocks, fetch: @escaping @Sendable () async throws(AuthError) -> AccessToken) {
    self.clocks = clocks
    self.fetch = fetch
  }

  /// A token that is good for some time yet.
  func token() async throws(AuthError) -> Secret {
    let now = clocks.now().boot
    let joined = await WorkQueue.result(of: { [shelf] () async throws(AuthError) in try shelf.join(at: now) })
    let turn = try joined.get()
    if turn.begins {
      // Not by the caller, whose task may be cancelled: others wait for this, too.
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

  /// Uses a token no more that a server has refused.
  func forget(_ token: Secret) async {
    _ = await WorkQueue.result(of: { [shelf] () async throws(AuthError) in shelf.forget(token) })
  }
}

/// The token at hand and the fetch under way. Holds no object of the app's.
@WorkQueue
private final class TokenShelf {
  typealias Outcome = Promise<AccessToken, QueueFailure<AuthError>>

  /// What a caller waits for, and whether it is the one that fetches.
  struct Turn: Sendable {
    let outcome: Outcome
    var begins = false
  }

  private var token: AccessToken?
  private var underWay: (outcome: Outcome, begunAt: Double)?

  /// After so many seconds a fetch that has not ended is not waited for any more: its transport has broken its promise.
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
