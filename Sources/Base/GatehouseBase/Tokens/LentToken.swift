/// A token that a `TokenSource` has fetched, to be lent to programs until it expires. A value.
///
/// Its life is measured from its receipt on both clocks, the wall clock and the boot clock; the shorter remaining life
/// counts. Printing it shows no secret.
public struct LentToken: Sendable, Hashable, Expiring {
  /// The token itself.
  public let value: Secret
  /// The life from `received` on, in seconds.
  package let lifetimeSeconds: Double
  /// The clock reading when the token was received.
  public let received: ClockReading

  /// The life from `received` on.
  public var lifetime: Duration { Duration(seconds: lifetimeSeconds) }

  /// Creates a token.
  ///
  /// - Parameters:
  ///   - value: the token itself.
  ///   - lifetime: its life from `received` on, as the issuer says.
  ///   - received: the clock reading when it was received.
  public init(_ value: Secret, lifetime: Duration, received: ClockReading) {
    self.init(value, lifetimeSeconds: lifetime.inSeconds, received: received)
  }

  package init(_ value: Secret, lifetimeSeconds: Double, received: ClockReading) {
    self.value = value
    self.lifetimeSeconds = lifetimeSeconds
    self.received = received
  }

  /// Returns the remaining life: the shorter one by the two clocks, and zero after the expiry.
  public func remainingLifetime(at now: ClockReading) -> Duration {
    Duration(seconds: max(remaining(at: now), 0))
  }
}
