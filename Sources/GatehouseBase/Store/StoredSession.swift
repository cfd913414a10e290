/// A session as a store keeps it: a value.
public struct StoredSession: Sendable, Hashable, Codable {
  /// Names one sign-in. Two sign-ins of one user are two sessions.
  public var session: String
  /// Rises by one with every change of the session.
  public var generation: UInt64
  public var profile: UserProfile
  public var tokens: SessionTokens

  public init(session: String, generation: UInt64, profile: UserProfile, tokens: SessionTokens) {
    self.session = session
    self.generation = generation
    self.profile = profile
    self.tokens = tokens
  }
}

/// A session's tokens, and when they came.
public struct SessionTokens: Sendable, Hashable, Codable {
  /// A JWT that servers accept until it expires.
  public var idToken: Secret
  /// Buys the next ID token.
  public var refreshToken: Secret
  /// How long the ID token lives from `received` on, in seconds, as the provider said (`expires_in`).
  public var lifetime: Double
  /// What the clocks showed when the tokens came.
  public var received: ClockReading

  public init(idToken: Secret, refreshToken: Secret, lifetime: Double, received: ClockReading) {
    self.idToken = idToken
    self.refreshToken = refreshToken
    self.lifetime = lifetime
    self.received = received
  }

  /// Seconds that the ID token still lives; the shorter of what the two clocks say.
  public func remaining(at now: ClockReading) -> Double { lifetime - now.elapsed(since: received) }

  /// How long before its end a token is due for a refresh, in seconds: five minutes, or a fifth of a shorter life.
  public var margin: Double { min(300, lifetime / 5) }

  /// Whether the token need not be refreshed yet. A token that was received in the future is due.
  public func isFresh(at now: ClockReading) -> Bool { remaining(at: now) > margin && !isFromTheFuture(at: now) }

  /// Whether the wall clock has been set back by more than a minute since the token was received.
  ///
  /// Then the clock was wrong at one of the two moments. If it was wrong when the token came, the token may name dates
  /// in the future, and verifiers refuse those. A verifier's leeway is a minute at most, so a smaller step is harmless.
  public func isFromTheFuture(at now: ClockReading) -> Bool { received.wall - now.wall > 60 }
}
