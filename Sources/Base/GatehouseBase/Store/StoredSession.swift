/// A session in the form that a store keeps. A value.
///
/// A store may use any format that restores an equal value. `Codable` is the simplest one. It leaves out members that
/// are empty, and ignores members that a later version adds.
public struct StoredSession: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case session, generation, profile, profileAsked, tokens, rotation, revocations, pendingRevocation, replaced
  }

  /// The identifier of one sign-in. Two sign-ins of one user are two sessions.
  public var session: String
  /// Incremented with every change of the session.
  public var generation: UInt64
  /// The user's profile, as last received from the provider.
  public var profile: UserProfile
  /// The clock reading when the profile was requested; `nil` for the profile of the sign-in. Of two versions of a
  /// session, the one that was requested later has the newer profile.
  public var profileAsked: ClockReading?
  /// The session's tokens.
  public var tokens: SessionTokens
  /// The rotation of the refresh token; `nil` if no refresh has replaced it yet.
  public var rotation: TokenRotation?
  /// The number of account changes that replaced the session's refresh token and revoked the previous one. Of two
  /// versions of a session, the one with the higher number has the valid tokens, regardless of when they arrived.
  public var revocations: UInt64
  /// A change that revokes these tokens and may be in progress: the provider may reject them before the new ones are
  /// stored.
  public var pendingRevocation: PendingRevocation?
  /// The sessions whose place this one has taken, until its sign-in is complete: if the sign-in ends before that, they
  /// are put back. Empty otherwise.
  public var replaced: [StoredSession]

  /// Creates a session from its parts.
  public init(
    session: String, generation: UInt64, profile: UserProfile, profileAsked: ClockReading? = nil,
    tokens: SessionTokens, rotation: TokenRotation? = nil, revocations: UInt64 = 0,
    pendingRevocation: PendingRevocation? = nil, replaced: [StoredSession] = []
  ) {
    self.session = session
    self.generation = generation
    self.profile = profile
    self.profileAsked = profileAsked
    self.tokens = tokens
    self.rotation = rotation
    self.revocations = revocations
    self.pendingRevocation = pendingRevocation
    self.replaced = replaced
  }

  /// Decodes a session. Members that are left out are empty.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    session = try members.decode(String.self, forKey: .session)
    generation = try members.decode(UInt64.self, forKey: .generation)
    profile = try members.decode(UserProfile.self, forKey: .profile)
    profileAsked = try members.decodeIfPresent(ClockReading.self, forKey: .profileAsked)
    tokens = try members.decode(SessionTokens.self, forKey: .tokens)
    rotation = try members.decodeIfPresent(TokenRotation.self, forKey: .rotation)
    revocations = try members.decodeIfPresent(UInt64.self, forKey: .revocations) ?? 0
    pendingRevocation = try members.decodeIfPresent(PendingRevocation.self, forKey: .pendingRevocation)
    replaced = try members.decodeIfPresent([StoredSession].self, forKey: .replaced) ?? []
  }

  /// Encodes a session, without the members that are empty.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(session, forKey: .session)
    try members.encode(generation, forKey: .generation)
    try members.encode(profile, forKey: .profile)
    try members.encodeIfPresent(profileAsked, forKey: .profileAsked)
    try members.encode(tokens, forKey: .tokens)
    try members.encodeIfPresent(rotation, forKey: .rotation)
    if revocations > 0 { try members.encode(revocations, forKey: .revocations) }
    try members.encodeIfPresent(pendingRevocation, forKey: .pendingRevocation)
    if !replaced.isEmpty { try members.encode(replaced, forKey: .replaced) }
  }
}

/// A mark for a change that is about to revoke a session's tokens, stored before the change is sent.
///
/// It expires, so that a program that ends during the change blocks the others only for that time.
public struct PendingRevocation: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case id, begun
    case limitSeconds = "limit"
  }

  /// The change's identifier: two programs may begin a change at the same moment by their clocks.
  public var id: String
  /// The clock reading when the change began.
  public var begun: ClockReading
  /// The maximum duration of the change, in seconds. In the stored unit, so that a round trip preserves it exactly.
  package var limitSeconds: Double

  /// The maximum duration of the change.
  public var limit: Duration {
    get { Duration(seconds: limitSeconds) }
    set { limitSeconds = newValue.inSeconds }
  }

  /// Creates a mark.
  ///
  /// - Parameters:
  ///   - id: a unique random identifier.
  ///   - begun: the time at which the change began.
  ///   - limit: the maximum duration of the change, after which the mark has expired.
  public init(id: String, begun: ClockReading, limit: Duration) {
    self.init(id: id, begun: begun, limitSeconds: limit.inSeconds)
  }

  package init(id: String, begun: ClockReading, limitSeconds: Double) {
    self.id = id
    self.begun = begun
    self.limitSeconds = limitSeconds
  }

  /// Whether the change may still be in progress.
  package func isUnderWay(at now: ClockReading) -> Bool { now.elapsed(since: begun) < limitSeconds }
}

/// A session's tokens, and the time at which they were received.
public struct SessionTokens: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case idToken, refreshToken
    case lifetimeSeconds = "lifetime"
    case received
  }

  /// The ID token, a JWT that servers accept until it expires.
  public var idToken: Secret
  /// The refresh token, which is exchanged for the next ID token.
  public var refreshToken: Secret
  /// The lifetime of the ID token from `received` on, in seconds. In the stored unit, so that a round trip preserves it
  /// exactly.
  package var lifetimeSeconds: Double
  /// The clock reading when the tokens were received.
  public var received: ClockReading

  /// The lifetime of the ID token from `received` on, as reported by the provider (`expires_in`).
  public var lifetime: Duration {
    get { Duration(seconds: lifetimeSeconds) }
    set { lifetimeSeconds = newValue.inSeconds }
  }

  /// Creates tokens from their parts.
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
}

extension SessionTokens: Expiring {}
