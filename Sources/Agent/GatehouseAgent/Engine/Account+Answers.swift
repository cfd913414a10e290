import GatehouseBase
import GatehouseCore

// The answers of an account about its state.
extension Account {
  func status(at now: ClockReading) -> AccountStatus {
    let state: AccountStatus.State =
      if let ending {
        .needsPerson(ending)
      } else if let pause {
        .failing(pause.cause)
      } else {
        token == nil ? .empty : .lending
      }
    return AccountStatus(
      name: name, kind: kind, state: state,
      remainingLifetime: token.map { Duration(seconds: max($0.remaining(at: now), 0)) },
      isFetching: current != nil, failures: failures)
  }

  /// The seconds for which another fetch would bring nothing new.
  ///
  /// - Parameter seconds: how long a caller needs a token. If the token at hand did not last as long when it came, the
  ///   next one hardly will, and no caller may spend one refresh after the other on it.
  func shortestWait(at now: ClockReading, lasting seconds: Double = 0) -> Double {
    guard let fetched, !(token?.isFromTheFuture(at: now) ?? false) else { return 0 }
    var interval = RefreshPolicy.shortestInterval
    if let life = token?.lifetimeSeconds, life <= seconds { interval = max(interval, life / 5) }
    return max(interval - max(now.elapsed(since: fetched), 0), 0)
  }

  /// The error of callers during a pause that the issuer has asked for; `nil` if there is none.
  func issuersPause(at now: ClockReading) -> AuthError? {
    guard let pause, pause.isServersWish else { return nil }
    return pause.error(at: now)
  }

  /// The error of a caller whom the latest token does not last long enough.
  func tooShort(_ token: some Expiring) -> AuthError {
    AuthError(
      .invalidArgument,
      "the latest token of '\(name)' had a life of \(Int(clamping: token.lifetimeSeconds)) s; "
        + "ask for a shorter minValidity, or try again later")
  }
}
