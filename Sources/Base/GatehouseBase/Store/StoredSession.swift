/// A session as a store keeps it: a value.
///
/// A store may keep it in any form that gives back an equal value. `Codable` is the simplest one: it reads what earlier
/// versions of Gatehouse wrote, and refuses nothing that a later one adds.
public struct StoredSession: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case session, generation, profile, profileAsked, tokens, revocations, pendingRevocation
  }

  /// Names one sign-in. Two sign-ins of one user are two sessions.
  public var session: String
  /// Incremented with every change of the session.
  public var generation: UInt64
  /// The user's profile, as the provider last gave it.
  public var profile: UserProfile
  /// What the clocks showed when the provider was asked for the profile; `nil` for the profile of the sign-in. Of two
  /// versions of a session the one that was asked for later has the newer profile.
  public var profileAsked: ClockReading?
  /// The session's tokens.
  public var tokens: SessionTokens
  /// Counts the changes of the account that replaced the session's refresh token and revoked the one before. Of two
  /// versions of a session the one that counts more has the good tokens, whenever they came.
  public var revocations: UInt64
  /// A change that revokes these tokens and may be under way: the provider may refuse them before the new ones are
  /// stored.
  public var pendingRevocation: PendingRevocation?

  /// Makes a session of its parts.
  public init(
    session: String, generation: UInt64, profile: UserProfile, profileAsked: ClockReading? = nil,
    tokens: SessionTokens, revocations: UInt64 = 0, pendingRevocation: PendingRevocation? = nil
  ) {
    self.session = session
    self.generation = generation
    self.profile = profile
    self.profileAsked = profileAsked
    self.tokens = tokens
    self.revocations = revocations
    self.pendingRevocation = pendingRevocation
  }

  /// Reads a session, of an earlier version too: that has no `profileAsked`, `revocations` and `pendingRevocation`.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    session = try members.decode(String.self, forKey: .session)
    generation = try members.decode(UInt64.self, forKey: .generation)
    profile = try members.decode(UserProfile.self, forKey: .profile)
    profileAsked = try members.decodeIfPresent(ClockReading.self, forKey: .profileAsked)
    tokens = try members.decode(SessionTokens.self, forKey: .tokens)
    revocations = try members.decodeIfPresent(UInt64.self, forKey: .revocations) ?? 0
    pendingRevocation = try members.decodeIfPresent(PendingRevocation.self, forKey: .pendingRevocation)
  }

  /// Writes a session. Without those three members it looks as earlier versions wrote it.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(session, forKey: .session)
    try members.encode(generation, forKey: .generation)
    try members.encode(profile, forKey: .profile)
    try members.encodeIfPresent(profileAsked, forKey: .profileAsked)
    try members.encode(tokens, forKey: .tokens)
    if revocations > 0 { try members.encode(revocations, forKey: .revocations) }
    try members.encodeIfPresent(pendingRevocation, forKey: .pendingRevocation)
  }
}

/// The mark of a change that is about to revoke a session's tokens, stored before the change is sent.
///
/// It is out of date after a while, so that a program that ends during the change blocks the others for that long only.
public struct PendingRevocation: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case id, begun
    case limitSeconds = "limit"
  }

  /// Identifies the change: two programs may begin one at the same moment by their clocks.
  public var id: String
  /// What the clocks showed when the change began.
  public var begun: ClockReading
  /// How long the change may take, in seconds: as it is stored, so that what is read equals what was written.
  package var limitSeconds: Double

  /// How long the change may take.
  public var limit: Duration {
    get { Duration(seconds: limitSeconds) }
    set { limitSeconds = newValue.inSeconds }
  }

  /// Makes a mark.
  ///
  /// - Parameters:
  ///   - id: tells this mark from all others; random.
  ///   - begun: when the change began.
  ///   - limit: how long the change may take; later the mark is out of date.
  public init(id: String, begun: ClockReading, limit: Duration) {
    self.init(id: id, begun: begun, limitSeconds: limit.inSeconds)
  }

  package init(id: String, begun: ClockReading, limitSeconds: Double) {
    self.id = id
    self.begun = begun
    self.limitSeconds = limitSeconds
  }

  /// Reads a mark, of an earlier version too: that has no `id`.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    id = try members.decodeIfPresent(String.self, forKey: .id) ?? ""
    begun = try members.decode(ClockReading.self, forKey: .begun)
    limitSeconds = try members.decode(Double.self, forKey: .limitSeconds)
  }

  /// Whether the change may still be under way.
  package func isUnderWay(at now: ClockReading) -> Bool { now.elapsed(since: begun) < limitSeconds }
}

/// A session's tokens, and when they came.
public struct SessionTokens: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case idToken, refreshToken
    case lifetimeSeconds = "lifetime"
    case received
  }

  /// A JWT that servers accept until it expires.
  public var idToken: Secret
  /// The refresh token, which is exchanged for the next ID token.
  public var refreshToken: Secret
  /// How long the ID token lives from `received` on, in seconds: as it is stored, so that what is read equals what was
  /// written.
  package var lifetimeSeconds: Double
  /// What the clocks showed when the tokens came.
  public var received: ClockReading

  /// How long the ID token lives from `received` on, as the provider said (`expires_in`).
  public var lifetime: Duration {
    get { Duration(seconds: lifetimeSeconds) }
    set { lifetimeSeconds = newValue.inSeconds }
  }

  /// Makes tokens of their parts.
  public init(idToken: Secret, refreshToken: Secret, lifetime: Duration, received: ClockReading) {
    self.init(
      idToken: idToken, refreshToken: refreshToken, lifetimeSeconds: lifetime.inSeconds, received: received)
  }

  package init(idToken: Secret, refreshToken: Secret, lifetimeSeconds: Double, received: ClockReading) {
    self.idToken = idToken
    self.refreshToken = refreshToken
    self.lifetimeSeconds = lifetimeSeconds
    self.received = received
  }

  /// Seconds that the ID token still lives; the shorter of what the two clocks say.
  package func remaining(at now: ClockReading) -> Double { lifetimeSeconds - now.elapsed(since: received) }

  /// How long before its end a token is due for a refresh, in seconds: five minutes, or a fifth of a shorter life.
  package var margin: Double { min(300, lifetimeSeconds / 5) }

  /// Whether the token need not be refreshed yet. A token that was received in the future is due.
  package func isFresh(at now: ClockReading) -> Bool { remaining(at: now) > margin && !isFromTheFuture(at: now) }

  /// Whether the wall clock has been set back by more than a minute since the token was received.
  ///
  /// Then the clock was wrong at one of the two moments. If it was wrong when the token came, the token may name dates
  /// in the future, and verifiers refuse those. A verifier's leeway is a minute at most, so a smaller step is harmless.
  package func isFromTheFuture(at now: ClockReading) -> Bool { received.wall - now.wall > 60 }
}
