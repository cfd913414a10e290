/// The limit of requests from one client's address: a token bucket of `burst` requests, refilled at
/// `requestsPerSecond`.
///
/// IPv6 addresses are counted by their first 64 bits, because one client may use all addresses below them. Their first
/// 56 and 48 bits have 4 and 16 times the limit. A client that exceeds its rate is answered with 429 and `Retry-After`.
public struct RateLimit: Sendable, Hashable {
  /// The sustained rate of one address, in requests per second. Clamped to 0.001 … 1,000,000.
  public var requestsPerSecond: Double
  /// The number of requests that an address may send at once after a pause. At least one.
  public var burst: Int
  /// The number of addresses to remember; of IPv6, the networks of 64, 56 and 48 bits. If there are more, those that
  /// were silent for longest are forgotten, and have full buckets again. At least two.
  public var addresses = 65_536

  /// - Parameters:
  ///   - requestsPerSecond: the sustained rate of one address, in requests per second.
  ///   - burst: the number of requests that an address may send at once; `nil` for ten seconds' worth.
  public init(requestsPerSecond: Double, burst: Int? = nil) {
    self.requestsPerSecond = requestsPerSecond
    let worth = requestsPerSecond * 10
    self.burst = burst ?? (worth >= 1 ? Int(min(worth, 1_000_000)) : 1)
  }
}
