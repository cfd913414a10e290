/// How many requests one client's address may send: a bucket of `burst` requests, into which `requestsPerSecond` drop.
///
/// An address of IPv6 counts by its first 64 bits, of which one client has all. A client beyond its rate is answered
/// with 429 and `Retry-After`.
public struct RateLimit: Sendable, Hashable {
  /// How many requests a second one address may send for long. Clamped to 0.001 … 1,000,000.
  public var requestsPerSecond: Double
  /// How many it may send at once after it has been silent. At least one.
  public var burst: Int
  /// How many addresses are remembered. With more at once, those that were silent for longest are forgotten, and have
  /// full buckets again. At least two.
  public var addresses = 65_536

  /// - Parameters:
  ///   - requestsPerSecond: how many requests a second one address may send for long.
  ///   - burst: how many it may send at once; `nil` for ten seconds' worth.
  public init(requestsPerSecond: Double, burst: Int? = nil) {
    self.requestsPerSecond = requestsPerSecond
    let worth = requestsPerSecond * 10
    self.burst = burst ?? (worth >= 1 ? Int(min(worth, 1_000_000)) : 1)
  }
}
