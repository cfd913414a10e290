package import GatehouseBase

/// Decides when to refresh tokens, and when to retry after a failure.
package enum RefreshPolicy {
  /// The maximum back-off, in seconds.
  package static let longestBackOff = 960.0
  /// The maximum `Retry-After` of a server that is honored, in seconds: an hour, because no call ends the wait, and a
  /// proxy may have written any number.
  package static let longestWish = 3600.0
  /// The minimum interval between two automatic refreshes, in seconds, however short the tokens' lifetime is.
  package static let shortestInterval = 10.0
  /// The minimum time between a failed refresh and the next automatic one, in seconds.
  package static let shortestRetry = 1.0

  /// The time after which a refresh token that may be spent is sent again, in seconds: half of the time for which a
  /// provider repeats its answer (decision 107). A server that was stopped may carry the first request out at any
  /// moment.
  package static let unsettled = 15.0

  /// Returns the seconds to wait after consecutive failures: exponential, with full jitter, and at least the server's
  /// `Retry-After`.
  ///
  /// - Parameter isUnsettled: whether the refresh token may be spent, so that the wait must be short.
  package static func backOff(
    failures: Int, unit: Double, retryAfter: Duration?, isUnsettled: Bool = false
  ) -> Double {
    let ceiling = min(isUnsettled ? unsettled : longestBackOff, Double(1 << min(max(failures, 1), 20)))
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
