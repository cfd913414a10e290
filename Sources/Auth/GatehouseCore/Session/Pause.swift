package import GatehouseBase

/// A back-off. No request is sent before it ends.
package struct Pause {
  package let cause: AuthError
  package let begin: ClockReading
  package let seconds: Double
  /// Whether the server asked for the back-off. Forced requests then wait as well.
  package let isServersWish: Bool

  package init(cause: AuthError, begin: ClockReading, seconds: Double, isServersWish: Bool) {
    self.cause = cause
    self.begin = begin
    self.seconds = seconds
    self.isServersWish = isServersWish
  }

  /// Returns the remaining seconds. They never exceed the initial ones, however far back the clocks were set.
  package func remaining(at now: ClockReading) -> Double { seconds - max(now.elapsed(since: begin), 0) }

  /// Returns the cause with the remaining time to wait; `nil` if the back-off is over.
  package func error(at now: ClockReading) -> AuthError? {
    let remaining = remaining(at: now)
    guard remaining > 0 else { return nil }
    return cause.with { $0.retryAfter = .seconds(remaining) }  // a day at most
  }
}
