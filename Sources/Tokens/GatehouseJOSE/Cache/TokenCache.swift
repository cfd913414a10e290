import GatehouseBase
import GatehouseCrypto
import GatehouseQueues
import Synchronization

/// Remembers tokens that were verified, so that the next time only what may have changed since is checked.
///
/// One cache may serve several verifiers: each finds only what it has put there itself. Bounded by entries and bytes,
/// and a forged token never gets in, so junk cannot push good ones out. A token is known by the SHA-256 digest
/// of its text: a dump of this memory holds no token. Off until a `CachedTokenVerifier` is asked for. Any thread,
/// all at once: entries are spread over locks of their own.
public final class TokenCache: Sendable {
  /// How much is remembered, and how long.
  public struct Limits: Sendable, Hashable {
    /// The most tokens; below 1 it is 1.
    public var tokens: Int { didSet { tokens = max(tokens, 1) } }
    /// The most memory for tokens, in bytes, as far as this cache can tell; below 0 it is 0.
    public var bytes: Int { didSet { bytes = max(bytes, 0) } }
    /// The longest time from a verification to the next one, by the boot clock. Clamped to 0 … `maximumAge`. For this
    /// long a token may still be accepted after a change that the cache is not told of.
    public var age: Duration { didSet { age = Self.clamped(age) } }
    /// The longest token that is remembered, in characters.
    public var token: Int

    /// The upper bound of `age`: five minutes.
    public static let maximumAge = Duration.seconds(300)

    /// Limits of a cache; the defaults are those of `standard`.
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

  /// How much is remembered, and how long.
  public let limits: Limits
  /// In seconds.
  let maximumAge: Double
  let fingerprints = SHA256Fingerprints()
  private let shards: [Lock<TokenShard>]
  private let epoch = Atomic<UInt64>(0)
  private let hits = Atomic<Int>(0)
  private let misses = Atomic<Int>(0)

  /// An empty cache.
  public init(limits: Limits = .standard) {
    self.limits = limits
    maximumAge = limits.age.inSeconds
    // A power of two, so that a digest's bits choose; a small cache has one, so that its limits are exact.
    let count = limits.tokens >= 1024 ? 16 : 1
    shards = (0..<count).map { _ in
      Lock(TokenShard(tokens: limits.tokens / count, bytes: limits.bytes / count))
    }
  }

  /// Forgets the tokens of a user: `sub`, compared as bytes.
  public func invalidate(subject: String) { forget { $0.token.subject?.isExactly(subject) ?? false } }

  /// Forgets the tokens that a key has signed: `kid`, compared as bytes.
  public func invalidate(keyID: String) { forget { $0.token.header.keyID?.isExactly(keyID) ?? false } }

  /// Forgets everything.
  public func removeAll() { forget { _ in true } }

  /// What the cache has done, and how much it holds.
  public var statistics: Statistics {
    let sizes = shards.map { $0.withLock { ($0.count, $0.bytes) } }
    return Statistics(
      hits: hits.load(ordering: .relaxed), misses: misses.load(ordering: .relaxed),
      tokens: sizes.reduce(0) { $0 + $1.0 }, bytes: sizes.reduce(0) { $0 + $1.1 })
  }

  /// What a cache has done since it was made, and what it holds.
  public struct Statistics: Sendable, Hashable {
    /// Tokens that were found, and still good.
    public let hits: Int
    /// Tokens that were verified in full.
    public let misses: Int
    /// Tokens that are remembered now.
    public let tokens: Int
    /// Memory that they take, in bytes, as far as the cache can tell.
    public let bytes: Int
  }

  // MARK: For verifiers

  /// Changes whenever something is forgotten: read it before verifying.
  var currentEpoch: UInt64 { epoch.load(ordering: .acquiring) }

  func find(_ key: SHA256Fingerprint) -> CachedToken? { shard(of: key).withLock { $0.find(key) } }

  func remove(_ key: SHA256Fingerprint) { shard(of: key).withLock { $0.remove(key) } }

  /// Remembers a token, unless something was forgotten since `epoch` was read: it may have been this one.
  func insert(_ token: CachedToken, as key: SHA256Fingerprint, epoch: UInt64) {
    shard(of: key).withLock { shard in
      guard self.epoch.load(ordering: .acquiring) == epoch else { return }
      shard.insert(token, as: key)
    }
  }

  func countHit() { hits.add(1, ordering: .relaxed) }

  func countMiss() { misses.add(1, ordering: .relaxed) }

  /// The epoch first: a token that is being verified meanwhile is then not remembered.
  private func forget(_ isMeant: (CachedToken) -> Bool) {
    epoch.add(1, ordering: .acquiringAndReleasing)
    for shard in shards { shard.withLock { $0.removeAll(where: isMeant) } }
  }

  private func shard(of key: SHA256Fingerprint) -> Lock<TokenShard> { shards[key.bits & (shards.count - 1)] }
}
