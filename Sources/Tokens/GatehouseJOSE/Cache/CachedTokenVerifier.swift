public import FoundationEssentials
import GatehouseBase
import GatehouseCrypto

/// Verifies tokens as its verifier does, and caches the valid ones.
///
/// A cached token is checked again against both clocks, with the same rules and the same leeway as in full, and against
/// the revocations. Only the signature, key, issuer, audience and form are not checked, because they cannot change.
/// Tokens without `exp`, tokens with a `nonce`, and very long tokens are never cached. Usable from any thread.
public struct CachedTokenVerifier: TokenVerifying {
  /// Whether a token may come from the cache.
  public enum Freshness: Sendable, Hashable {
    /// The token may come from the cache.
    case cached
    /// The token is verified in full: for decisions that must not rest on a cached result.
    case always
  }

  /// Verifies tokens that are not in the cache.
  public let verifier: any PureTokenVerifying
  /// The cache of verified tokens. Several verifiers may share it.
  public let cache: TokenCache
  /// The users whose older tokens are rejected, also those in the cache.
  public let revocations: TokenRevocations?
  /// The verifier's policy when this was made.
  public let policy: VerificationPolicy
  /// A digest of the verifier's identity: tokens of other verifiers, and from before a rotation, are not found. All
  /// digests have one length, so that no identity and token make the same bytes as another two.
  private let identity: [UInt8]
  private let rules: ClaimRules
  private let afterVerifying: (@Sendable () -> Void)?

  /// Makes a verifier that caches in `cache` the tokens that `verifier` has accepted.
  ///
  /// Throws `cryptoFailed` if the verifier has no identity, or an empty one.
  public init(
    _ verifier: any PureTokenVerifying, cache: TokenCache, revocations: TokenRevocations? = nil
  ) throws {
    try self.init(verifier, cache: cache, revocations: revocations, afterVerifying: nil)
  }

  /// For tests, which can run code between a verification and its caching.
  package init(
    _ verifier: any PureTokenVerifying, cache: TokenCache, revocations: TokenRevocations? = nil,
    afterVerifying: (@Sendable () -> Void)?
  ) throws(AuthError) {
    self.verifier = verifier
    self.cache = cache
    self.revocations = revocations
    self.afterVerifying = afterVerifying
    policy = verifier.policy
    rules = ClaimRules(policy)
    let stated = try typed { try verifier.identity }
    guard !stated.isEmpty else { throw AuthError(.cryptoFailed, "the verifier's identity is empty") }
    identity = try HashAlgorithm.sha256.digest(of: stated)
  }

  /// Verifies a token now, by the policy's clocks. Uses no queue.
  public func verify(_ token: String) throws -> VerifiedToken { try verify(token, freshness: .cached) }

  /// Verifies a token now, by the policy's clocks. Uses no queue.
  public func verify(_ token: String, freshness: Freshness) throws -> VerifiedToken {
    try verify(token, at: policy.clocks.now(), freshness: freshness)
  }

  /// Verifies a token at a moment of the wall clock. The age of a cached token is measured by the current boot clock.
  /// Uses no queue.
  public func verify(_ token: String, at moment: Date) throws -> VerifiedToken {
    var now = policy.clocks.now()
    now.wall = moment.wall
    return try verify(token, at: now)
  }

  /// Verifies a token at a reading of both clocks.
  package func verify(
    _ token: String, at now: ClockReading, freshness: Freshness = .cached
  ) throws(AuthError) -> VerifiedToken {
    let text = token.utf8.span
    guard text.count <= cache.limits.token else { return try verified(token, at: now) }
    let key = try cache.fingerprints.fingerprint(identity.span, text)
    let epoch = cache.currentEpoch
    if freshness == .cached, let found = cache.find(key) {
      if isYoung(found, at: now) {
        do throws(AuthError) {
          try rules.check(found.times, at: now.wall)
          try revocations?.check(found.token, at: now.wall, leeway: policy.leeway)
        } catch {
          cache.remove(key)
          throw error
        }
        cache.countHit()
        return found.token
      }
      cache.remove(key)
    }
    let good = try verified(token, at: now)
    afterVerifying?()
    cache.countMiss()
    if let entry = try entry(good, at: now) { cache.insert(entry, as: key, epoch: epoch) }
    return good
  }

  private func verified(_ token: String, at now: ClockReading) throws(AuthError) -> VerifiedToken {
    let good = try typed { try verifier.verify(token, at: Date(wall: now.wall)) }
    try revocations?.check(good, at: now.wall, leeway: policy.leeway)
    return good
  }

  /// Uses the boot clock, so that setting the wall clock extends no entry's life.
  private func isYoung(_ token: CachedToken, at now: ClockReading) -> Bool {
    let age = now.boot - token.verifiedAt
    return age >= 0 && age < cache.maximumAge
  }

  /// The size of one entry of a shard, in bytes, with the spare capacity of arrays and dictionaries.
  private static let slotSize = 512

  private func entry(_ token: VerifiedToken, at now: ClockReading) throws(AuthError) -> CachedToken? {
    let times = try rules.registered(token.payload).times
    guard times.expiry != nil, token.payload.scanned("nonce") == nil else { return nil }
    return CachedToken(token: token, times: times, verifiedAt: now.boot, bytes: token.payload.memory + Self.slotSize)
  }
}

extension CachedTokenVerifier: CustomStringConvertible, CustomReflectable {
  /// The verifier: no cached token, and no digest of its keys.
  public var description: String { "CachedTokenVerifier(\(verifier))" }
  /// The same member, and no others.
  public var customMirror: Mirror { Mirror(self, children: ["verifier": verifier]) }
}
