import GatehouseBase
import GatehouseCrypto
import GatehouseQueues
import Synchronization

/// A cache of verified tokens. When a token is found, only what may have changed since is checked.
///
/// Several verifiers may share a cache: each finds only the tokens that it has stored itself. The cache is bounded by
/// entries and bytes. A forged token never gets in, so junk cannot evict valid ones. A token is identified by the
/// SHA-256 digest of its text, so a dump of this memory contains no token. Nothing is cached unless a
/// `CachedTokenVerifier` is used. Usable from any thread: entries are spread over several locks.
public final class TokenCache: Sendable {
  /// The limits of size and age.
  public struct Limits: Sendable, Hashable {
    /// The maximum number of tokens; values below 1 count as 1.
    public var tokens: Int { didSet { tokens = max(tokens, 1) } }
    /// The maximum memory for tokens, in bytes, as estimated by this cache; negative values count as 0.
    public var bytes: Int { didSet { bytes = max(bytes, 0) } }
    /// The maximum time from one verification to the next, by the boot clock. Clamped to 0 … `maximumAge`. For this
    /// long, a token may still be accepted after a change that the cache does not know of.
    public var age: Duration { didSet { age = Self.clamped(age) } }
    /// The maximum length of a cached token, in characters.
    public var token: Int

    /// The upper bound of `age`: five minutes.
    public static let maximumAge = Duration.seconds(300)

    /// Makes limits; the defaults are those of `standard`.
    public init(tokens: Int = 10_000, bytes: Int = 32 << 20, age: Duration = .seconds(60), token: Int = 8 << 10) {
      self.tokens = max(tokens, 1)
      self.bytes = max(bytes, 0)
      self.age = Self.clamped(age)
      self.token = token
    }

    private static func clamped(_ age: Duration) -> Duration { min(max(age, .zero), maximumAge) }

    /// 10,000 tokens of at most 8 KiB each, in 32 MiB, for one minute.
    public static let standard = Limits()
  }

  /// The limits of size and age.
  public let limits: Limits
  /// In seconds.
  let maximumAge: Double
  let fingerprints = SHA256Fingerprints()
  private let shards: [Lock<TokenShard>]
  private let epoch = Atomic<UInt64>(0)
  private let hits = Atomic<Int>(0)
  private let misses = Atomic<Int>(0)

  /// Makes an empty cache.
  public init(limits: Limits = .standard) {
    self.limits = limits
    maximumAge = limits.age.inSeconds
    // A power of two, so that a digest's bits select a shard. A small cache has one shard, so that its limits are
    // exact.
    let count = limits.tokens >= 1024 ? 16 : 1
    shards = (0..<count).map { _ in
      Lock(TokenShard(tokens: limits.tokens / count, bytes: limits.bytes / count))
    }
  }

  /// Removes the tokens of a user: `sub`, compared as bytes.
  public func invalidate(subject: String) { forget { $0.token.subject?.isExactly(subject) ?? false } }

  /// Removes the tokens that a key has signed: `kid`, compared as bytes.
  public func invalidate(keyID: String) { forget { $0.token.header.keyID?.isExactly(keyID) ?? false } }

  /// Removes all tokens.
  public func removeAll() { forget { _ in true } }

  /// Counts of the cache's lookups, and its current size.
  public var statistics: Statistics {
    let sizes = shards.map { $0.withLock { ($0.count, $0.bytes) } }
    return Statistics(
      hits: hits.load(ordering: .relaxed), misses: misses.load(ordering: .relaxed),
      tokens: sizes.reduce(0) { $0 + $1.0 }, bytes: sizes.reduce(0) { $0 + $1.1 })
  }

  /// Counts of a cache's lookups since it was made, and its current size.
  public struct Statistics: Sendable, Hashable {
    /// The number of tokens that were found and still valid.
    public let hits: Int
    /// The number of tokens that were verified in full.
    public let misses: Int
    /// The number of cached tokens.
    public let tokens: Int
    /// The memory that they take, in bytes, as estimated by the cache.
    public let bytes: Int
  }

  // MARK: For verifiers

  /// Changes whenever tokens are invalidated: read it before verifying.
  var currentEpoch: UInt64 { epoch.load(ordering: .acquiring) }

  func find(_ key: SHA256Fingerprint) -> CachedToken? { shard(of: key).withLock { $0.find(key) } }

  func remove(_ key: SHA256Fingerprint) { shard(of: key).withLock { $0.remove(key) } }

  /// Stores a token, unless tokens were invalidated since `epoch` was read: this one may have been among them.
  func insert(_ token: CachedToken, as key: SHA256Fingerprint, epoch: UInt64) {
    shard(of: key).withLock { shard in
      guard self.epoch.load(ordering: .acquiring) == epoch else { return }
      shard.insert(token, as: key)
    }
  }

  func countHit() { hits.add(1, ordering: .relaxed) }

  func countMiss() { misses.add(1, ordering: .relaxed) }

  /// Changes the epoch first, so that a token that is being verified meanwhile is not stored.
  private func forget(_ isMeant: (CachedToken) -> Bool) {
    epoch.add(1, ordering: .acquiringAndReleasing)
    for shard in shards { shard.withLock { $0.removeAll(where: isMeant) } }
  }

  private func shard(of key: SHA256Fingerprint) -> Lock<TokenShard> { shards[key.bits & (shards.count - 1)] }
}
