public import Dispatch
public import Foundation
public import GatehouseBase
import GatehouseQueues

/// Verifies tokens with the keys that a server publishes.
///
/// Keep and reuse it: it prepares keys once for all tokens. With a cache, valid tokens are found again as
/// `CachedTokenVerifier` describes, but none that was verified with keys other than the stored ones. Usable from any
/// thread. See `TokenVerifier` for what is rejected.
public final class RemoteTokenVerifier: TokenVerifying {
  /// The keys.
  public let keys: RemoteKeySet
  /// The rules that a token must satisfy, and the clocks.
  public let policy: VerificationPolicy
  /// The cache of verified tokens.
  public let cache: TokenCache?
  /// The users whose older tokens are rejected.
  public let revocations: TokenRevocations?
  private let ready = StripedSnapshot<Ready?> { nil }
  private let completions: Completions

  /// Makes a verifier with the keys of a server.
  ///
  /// - Parameters:
  ///   - keys: the keys; several verifiers may share them.
  ///   - policy: the rules that a token must satisfy.
  ///   - cache: the cache for verified tokens; with `nil` each token is verified in full.
  ///   - revocations: the users whose older tokens are rejected.
  ///   - callbackQueue: the queue on which completions without an isolation of their own are called.
  public init(
    keys: RemoteKeySet, policy: VerificationPolicy, cache: TokenCache? = nil, revocations: TokenRevocations? = nil,
    callbackQueue: DispatchQueue = .main
  ) {
    self.keys = keys
    self.policy = policy
    self.cache = cache
    self.revocations = revocations
    completions = Completions(on: callbackQueue)
  }

  /// Verifies a token now, by the policy's clocks, with fresh keys. Uses no queue if its key is stored and
  /// the signature is valid.
  ///
  /// If its key is unknown, or the token does not verify with it because the server may have replaced it under its ID,
  /// the keys are fetched again, subject to their cooldown, and the token is verified once more. The fetch begins on
  /// the work queue. Besides `TokenVerifier`'s errors it throws `keysUnavailable`, which says nothing about the token,
  /// and `cancelled`.
  public func verify(_ token: String) async throws -> VerifiedToken {
    try await verify(token, freshness: .cached)
  }

  /// `verify(_:)`, or with `.always` a full verification, whatever is cached.
  public func verify(
    _ token: String, freshness: CachedTokenVerifier.Freshness
  ) async throws -> VerifiedToken {
    try await verify(token, at: nil, freshness)
  }

  /// Verifies a token at a moment, with keys that are fresh now.
  public func verify(_ token: String, at moment: Date) async throws -> VerifiedToken {
    try await verify(token, at: moment, .cached)
  }

  /// `verify(_:freshness:)` with a completion. It begins on the work queue, in call order, runs in the background, and
  /// calls its completion exactly once.
  public func verify(
    _ token: String, freshness: CachedTokenVerifier.Freshness = .cached,
    @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<VerifiedToken, AuthError>) -> Void
  ) {
    completions.deliver(to: completion) { [self] () async throws(AuthError) in
      try await typed { try await verify(token, freshness: freshness) }
    }
  }

  private func verify(
    _ token: String, at moment: Date?, _ freshness: CachedTokenVerifier.Freshness
  ) async throws(AuthError) -> VerifiedToken {
    let snapshot = try await keys.snapshot()
    do {
      return try ready(for: snapshot).verify(token, at: reading(at: moment), freshness)
    } catch {
      let newer = try await self.snapshot(after: error, of: token, replacing: snapshot)
      return try ready(for: newer).verify(token, at: reading(at: moment), freshness)
    }
  }

  /// The keys to verify a token with once more. Throws the error of the first verification if there are none.
  private func snapshot(
    after error: AuthError, of token: String, replacing old: KeySnapshot
  ) async throws(AuthError) -> KeySnapshot {
    let isOfKey = [.unknownKey, .signatureInvalid, .algorithmRefused].contains(error.code)
    guard isOfKey, let header = try? UnverifiedToken(token, limits: policy.limits).header,
      let algorithm = JWSAlgorithm(exactly: header.algorithm), policy.algorithms.contains(algorithm)
    else { throw error }
    guard error.code == .unknownKey else {
      guard let newer = try await keys.snapshot(replacing: old.generation) else { throw error }
      return newer
    }
    guard let keyID = header.keyID else { throw error }
    _ = try await typed { try await keys.key(named: keyID, for: algorithm) }
    return try await keys.snapshot()
  }

  /// The reading of the clocks, with the wall clock at a moment if there is one.
  private func reading(at moment: Date?) -> ClockReading {
    var now = policy.clocks.now()
    if let moment { now.wall = moment.wall }
    return now
  }

  /// Verifies a token at a moment with the stored keys and no cache. Does not wait, does not fetch, uses no queue.
  ///
  /// Throws `keysUnavailable` if no keys are stored: call `keys.keys()` first.
  public func verifyWithKeysAtHand(_ token: String, at moment: Date) throws -> VerifiedToken {
    try verifyWithKeysAtHand(token, at: moment.wall)
  }

  /// Verifies a token at a moment in seconds since 1970 with the stored keys and no cache.
  package func verifyWithKeysAtHand(_ token: String, at now: Double) throws(AuthError) -> VerifiedToken {
    guard let snapshot = keys.snapshotAtHand(at: keys.clocks.now()) else {
      throw AuthError(.keysUnavailable, "no usable keys are at hand: call keys() first")
    }
    return try ready(for: snapshot).verifier.verify(token, at: now)
  }

  /// The verifier for one set of keys, made anew when the keys change.
  private func ready(for snapshot: KeySnapshot) throws(AuthError) -> Ready {
    if let ready = ready.value, ready.generation == snapshot.generation { return ready }
    let fresh = try Ready(snapshot, policy, cache, revocations)
    ready.replace { Ready(fresh) }
    return fresh
  }

  /// A class, so that a reader counts references to this object only.
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
        cached = try CachedTokenVerifier(verifier, cache: cache, revocations: revocations, afterVerifying: nil)
      } else {
        cached = nil
      }
    }

    /// A copy for another stripe, so that threads on different stripes do not count references to the same object.
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
      try revocations?.check(verified, at: now.wall, leeway: verifier.policy.leeway)
      return verified
    }
  }
}
