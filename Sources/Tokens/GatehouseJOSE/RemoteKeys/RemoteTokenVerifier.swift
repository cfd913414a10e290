public import GatehouseBase
import GatehouseQueues

/// Verifies tokens with the keys that a server publishes.
///
/// Keep it: it makes keys ready once for all tokens. With a cache, tokens that were good are found again as
/// `CachedTokenVerifier` says, and none that was verified with other keys than those at hand. Any thread, all at once;
/// see `TokenVerifier` for what is refused.
public final class RemoteTokenVerifier: Sendable {
  public let keys: RemoteKeySet
  public let policy: VerificationPolicy
  public let cache: TokenCache?
  public let revocations: TokenRevocations?
  private let ready = StripedSnapshot<Ready?> { nil }

  public init(
    keys: RemoteKeySet, policy: VerificationPolicy, cache: TokenCache? = nil, revocations: TokenRevocations? = nil
  ) {
    self.keys = keys
    self.policy = policy
    self.cache = cache
    self.revocations = revocations
  }

  /// Verifies a token now, by the policy's clock, with keys that are fresh.
  ///
  /// If its key is not known the keys are fetched anew, subject to their cooldown, and the token is verified once more.
  /// Beside `TokenVerifier`'s codes there are `keysUnavailable`, which says nothing of the token, and `cancelled`.
  public func verify(
    _ token: String, freshness: CachedTokenVerifier.Freshness = .cached
  ) async throws(AuthError) -> VerifiedToken {
    let snapshot = try await keys.snapshot()
    do {
      return try ready(for: snapshot).verify(token, at: policy.clocks.now(), freshness)
    } catch {
      guard error.code == .unknownKey, let keyID = try UnverifiedToken(token, limits: policy.limits).header.keyID
      else { throw error }
      _ = try await keys.key(named: keyID)
    }
    return try await ready(for: keys.snapshot()).verify(token, at: policy.clocks.now(), freshness)
  }

  /// Verifies a token at a moment, in seconds since 1970, with the keys at hand and no cache. Waits for nothing,
  /// fetches nothing.
  ///
  /// Throws `keysUnavailable` if no keys are at hand: call `keys.keys()` first.
  public func verifyWithKeysAtHand(_ token: String, at now: Double) throws(AuthError) -> VerifiedToken {
    guard let snapshot = keys.snapshotAtHand(at: keys.clocks.now()) else {
      throw AuthError(.keysUnavailable, "no usable keys are at hand: call keys() first")
    }
    return try ready(for: snapshot).verifier.verify(token, at: now)
  }

  /// What verifies with a set of keys; made anew when the keys are others than before.
  private func ready(for snapshot: KeySnapshot) throws(AuthError) -> Ready {
    if let ready = ready.value, ready.generation == snapshot.generation { return ready }
    let fresh = try Ready(snapshot, policy, cache, revocations)
    ready.replace { Ready(fresh) }
    return fresh
  }

  /// A class, so that whoever reads it counts references to this object only.
  private final class Ready: Sendable {
    let generation: UInt64
    let verifier: TokenVerifier
    private let cached: CachedTokenVerifier?
    private let revocations: TokenRevocations?

    init(
      _ snapshot: KeySnapshot, _ policy: VerificationPolicy, _ cache: TokenCache?, _ revocations: TokenRevocations?
    ) throws(AuthError) {
      generation = snapshot.generation
      verifier = TokenVerifier(keys: snapshot.keys, policy: policy)
      self.revocations = revocations
      if let cache {
        cached = try CachedTokenVerifier(verifier, cache: cache, revocations: revocations)
      } else {
        cached = nil
      }
    }

    /// Another object for the same: each stripe has one, so that threads do not count the references to one together.
    init(_ other: Ready) {
      generation = other.generation
      verifier = other.verifier
      cached = other.cached
      revocations = other.revocations
    }

    func verify(
      _ token: String, at now: ClockReading, _ freshness: CachedTokenVerifier.Freshness
    ) throws(AuthError) -> VerifiedToken {
      if let cached { return try cached.verify(token, at: now, freshness: freshness) }
      let verified = try verifier.verify(token, at: now.wall)
      try revocations?.check(verified)
      return verified
    }
  }
}
