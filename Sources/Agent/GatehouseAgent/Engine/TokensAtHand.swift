import GatehouseBase
import GatehouseQueues

/// A copy of the tokens that the engine lends. Callers read it on their own threads, so that a token at hand costs no
/// turn on the work queue. Only the engine changes it, on the work queue, together with its own state.
final class TokensAtHand: Sendable {
  /// The tokens by account; `nil` once the agent is closed.
  private let tokens = Lock<[String: LentToken]?>([:])

  /// Returns the token of an account if it lasts longer than `seconds`.
  func token(of name: String, lasting seconds: Double, at now: ClockReading) -> LentToken? {
    guard let token = tokens.withLock({ $0?[name] }), token.lasts(seconds, at: now) else { return nil }
    return token
  }

  func set(_ token: LentToken?, of name: String) { tokens.withLock { $0?[name] = token } }

  func close() { tokens.withLock { $0 = nil } }
}

extension LentToken {
  /// Whether it can be lent to a caller who needs it for longer than `seconds`.
  func lasts(_ seconds: Double, at now: ClockReading) -> Bool {
    remaining(at: now) > seconds && !isFromTheFuture(at: now)
  }
}
