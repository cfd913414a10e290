import GatehouseBase

/// Decides when to refresh tokens, and when to try again after a failure.
enum RefreshPolicy {
  /// No back-off is longer than this, in seconds.
  static let longestBackOff = 960.0
  /// The maximum of a server's `Retry-After`, in seconds.
  static let longestWish = 86_400.0
  /// Two automatic refreshes are at least this far apart, in seconds, however short the tokens live.
  static let shortestInterval = 10.0
  /// Seconds that pass at least between a refresh that failed and the next automatic one.
  static let shortestRetry = 1.0

  /// Seconds to wait after some failures in a row: exponential, full jitter, and never less than the server asked.
  static func backOff(failures: Int, unit: Double, retryAfter: Duration?) -> Double {
    let ceiling = min(longestBackOff, Double(1 << min(max(failures, 1), 20)))
    return max(unit * ceiling, min(retryAfter?.inSeconds ?? 0, longestWish))
  }

  /// When to refresh these tokens ahead of their end: somewhere in the last stretch before they are due.
  static func alarm(for tokens: SessionTokens, unit: Double, now: ClockReading) -> Alarm {
    if tokens.isFromTheFuture(at: now) { return Alarm(boot: now.boot) }
    let due = max(tokens.lifetimeSeconds - tokens.margin * (1 + 0.5 * unit), shortestInterval)
    let moment = now.advanced(by: due - now.elapsed(since: tokens.received))
    return Alarm(boot: moment.boot, wall: moment.wall)
  }
}
