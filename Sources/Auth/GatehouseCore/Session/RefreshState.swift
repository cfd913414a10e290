import GatehouseBase
import GatehouseQueues

/// The refreshes of one session: at most one under way, and at most one that waits for it.
struct RefreshState {
  /// Enqueued or under way.
  var current: Refresh?
  /// Waits for `current`. Callers that forced a refresh after that one's request was sent share it.
  var next: Refresh?
  /// Failures since the last success.
  var failures = 0
  /// No refresh asks the server again before this ends.
  var pause: Pause?
}

/// One request for new tokens, and its waiters.
@WorkQueue
final class Refresh {
  /// When it need not ask the server.
  enum Need: Comparable {
    /// When the token at hand is fresh after all.
    case ifDue
    /// When another process has brought a fresh one: a refresh ahead of time.
    case ahead
    /// Never.
    case always
  }

  var need: Need
  /// From now on a forced request cannot join any more.
  var isSent = false
  /// Comes with the tokens.
  var promise: Promise<SessionTokens, AuthError>?

  init(_ need: Need) { self.need = need }
}

/// A back-off: no request is sent before it ends.
struct Pause {
  let cause: AuthError
  let begin: ClockReading
  let seconds: Double
  /// Whether the server asked for it: then forced requests wait as well.
  let isServersWish: Bool

  /// The seconds that are left. They are never more than at the beginning, however far back the clocks were set.
  func remaining(at now: ClockReading) -> Double { seconds - max(now.elapsed(since: begin), 0) }

  /// The cause with the time that is left to wait, while some is left.
  func error(at now: ClockReading) -> AuthError? {
    let remaining = remaining(at: now)
    guard remaining > 0 else { return nil }
    var error = cause
    error.retryAfter = .seconds(remaining)  // a day at most
    return error
  }
}
