/// A value with a life that begins at its receipt and that both clocks measure.
package protocol Expiring {
  /// The life from `received` on, in seconds.
  var lifetimeSeconds: Double { get }
  /// The clock reading at the receipt.
  var received: ClockReading { get }
}

extension Expiring {
  /// The remaining life in seconds: the shorter one by the two clocks.
  package func remaining(at now: ClockReading) -> Double { lifetimeSeconds - now.elapsed(since: received) }

  /// The time before its expiry at which a token is due for a refresh, in seconds: five minutes, or a fifth of its
  /// lifetime if that is shorter.
  package var margin: Double { min(300, lifetimeSeconds / 5) }

  /// Whether the token does not need a refresh yet. A token that was received in the future does.
  package func isFresh(at now: ClockReading) -> Bool { remaining(at: now) > margin && !isFromTheFuture(at: now) }

  /// Whether the wall clock has been set back by more than a minute since the token was received.
  ///
  /// Then the clock was wrong at one of the two moments. If it was wrong when the token was received, the token may
  /// contain dates in the future, which verifiers reject. A verifier's leeway is at most a minute, so a smaller step is
  /// harmless.
  package func isFromTheFuture(at now: ClockReading) -> Bool { received.wall - now.wall > 60 }
}
