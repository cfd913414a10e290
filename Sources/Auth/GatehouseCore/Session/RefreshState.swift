import GatehouseBase
import GatehouseQueues

/// The refreshes of one session: at most one in flight, and at most one that waits for it.
struct RefreshState {
  /// The refresh that is enqueued or in flight.
  var current: Refresh?
  /// The refresh that waits for `current`. It is shared by callers that forced a refresh after the request of `current`
  /// was sent.
  var next: Refresh?
  /// The number of failures since the last success.
  var failures = 0
  /// The back-off: no refresh sends a request before it ends.
  var pause: Pause?
}

/// One request for new tokens, and its waiters.
@WorkQueue
final class Refresh {
  /// The condition under which a refresh need not send a request.
  enum Need: Comparable {
    /// The current token is fresh after all.
    case ifDue
    /// Another process has brought a fresh token. For an automatic refresh.
    case ahead
    /// None: the request is always sent.
    case always
  }

  var need: Need
  /// Whether the request was sent. From then on a forced refresh cannot join.
  var isSent = false
  /// Resolves with the tokens.
  var promise: Promise<SessionTokens, AuthError>?

  init(_ need: Need) { self.need = need }
}

/// A back-off. No request is sent before it ends.
struct Pause {
  let cause: AuthError
  let begin: ClockReading
  let seconds: Double
  /// Whether the server asked for the back-off. Forced requests then wait as well.
  let isServersWish: Bool

  /// Returns the remaining seconds. They never exceed the initial ones, however far back the clocks were set.
  func remaining(at now: ClockReading) -> Double { seconds - max(now.elapsed(since: begin), 0) }

  /// Returns the cause with the remaining time to wait; `nil` if the back-off is over.
  func error(at now: ClockReading) -> AuthError? {
    let remaining = remaining(at: now)
    guard remaining > 0 else { return nil }
    return cause.with { $0.retryAfter = .seconds(remaining) }  // a day at most
  }
}
