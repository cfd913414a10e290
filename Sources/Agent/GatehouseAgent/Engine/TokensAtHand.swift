import GatehouseBase
import GatehouseQueues

/// The tokens that the engine lends. Callers read them on their own threads, so that a token at hand costs no turn on
/// the work queue. Only the engine changes them, on the work queue, together with its own state.
final class TokensAtHand: Sendable {
  private struct State {
    var shelf = TokenShelf()
    var tokens: [String: KeptToken] = [:]
    var count = 0

    mutating func set(_ token: LentToken?, of name: String) {
      if let old = tokens.removeValue(forKey: name) { shelf.remove(old.place) }
      guard let token else { return }
      count += 1
      tokens[name] = KeptToken(
        number: count, place: shelf.put(token.value.revealed), lifetimeSeconds: token.lifetimeSeconds,
        received: token.received)
    }
  }

  /// `nil` once the agent is closed.
  private let state = Lock<State?>(State())

  /// Returns the token of an account if it lasts longer than `seconds`.
  func token(of name: String, lasting seconds: Double, at now: ClockReading) -> LentToken? {
    lent(name) { $0.lasts(seconds, at: now) }
  }

  /// Returns the token of an account if it is as wanted.
  func lent(_ name: String, where isWanted: (KeptToken) -> Bool = { _ in true }) -> LentToken? {
    state.withLock { state in
      guard let state, let kept = state.tokens[name], isWanted(kept) else { return nil }
      return LentToken(
        Secret(state.shelf.text(at: kept.place)), lifetimeSeconds: kept.lifetimeSeconds, received: kept.received)
    }
  }

  /// Returns the life of the token of an account.
  func kept(_ name: String) -> KeptToken? { state.withLock { $0?.tokens[name] } }

  func set(_ token: LentToken?, of name: String) {
    state.withLock { $0?.set(token, of: name) }
  }

  func close() { state.withLock { $0 = nil } }
}

/// The life of a token that an agent keeps, and the place of its text. Two are equal only if they are of one fetch.
struct KeptToken: Sendable, Hashable, Expiring {
  let number: Int
  let place: TokenShelf.Place
  let lifetimeSeconds: Double
  let received: ClockReading

  /// Whether it can be lent to a caller who needs it for longer than `seconds`.
  func lasts(_ seconds: Double, at now: ClockReading) -> Bool {
    remaining(at: now) > seconds && !isFromTheFuture(at: now)
  }
}
