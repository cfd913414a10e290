package import GatehouseBase

/// Decides when to refresh tokens, and when to retry after a failure.
package enum RefreshPolicy {
  /// The maximum back-off, in seconds.
  package static let longestBackOff = 960.0
  /// The maximum `Retry-After` of a server that is honored, in seconds.
  package static let longestWish = 86_400.0
  /// The minimum interval between two automatic refreshes, in seconds, however short the tokens' lifetime is.
  package static let shortestInterval = 10.0
  /// The minimum time between a failed refresh and the next automatic one, in seconds.
  package static let shortestRetry = 1.0

  /// Returns the seconds to wait after consecutive failures: exponential, with full jitter, and at least the server's
  /// `Retry-After`.
  package static func backOff(failures: Int, unit: Double, retryAfter: Duration?) -> Double {
    let ceiling = min(longestBackOff, Double(1 << min(max(failures, 1), 20)))
    return max(unit * ceiling, min(retryAfter?.inSeconds ?? 0, longestWish))
  }

  /// Returns the time for the automatic refresh of these tokens: a random moment shortly before they are due.
  package static func alarm(for tokens: some Expiring, unit: Double, now: ClockReading) -> Alarm {
    if tokens.isFromTheFuture(at: now) { return Alarm(boot: now.boot) }
    let due = max(tokens.lifetimeSeconds - tokens.margin * (1 + 0.5 * unit), shortestInterval)
    let moment = now.advanced(by: due - now.elapsed(since: tokens.received))
    return Alarm(boot: moment.boot, wall: moment.wall)
  }
}
