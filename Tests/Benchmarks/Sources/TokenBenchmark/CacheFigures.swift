import Foundation
import GatehouseJOSE
import TokenSamples

/// What the cache of verified tokens saves: a hit beside a full verification of the same token.
struct CacheFigures {
  let sample: TokenSample
  /// For each figure.
  let seconds: Double

  func all() throws -> [Figure] {
    let cache = TokenCache(limits: .init(age: TokenCache.Limits.maximumAge))
    let verifier = try CachedTokenVerifier(sample.verifier, cache: cache)
    let token = sample.token
    let hit = { (count: Int) throws in for _ in 0..<count { _ = try verifier.verify(token) } }
    try hit(1)

    let outcome = try Duel(ours: hit, raw: sample.verify).run(seconds: seconds)
    let allocations = try Allocations.perOperation(hit)
    guard cache.statistics.misses == 1 else { throw SampleError("the cache forgot the token while it was measured") }
    return [
      Figure(
        name: "cached hit ÷ \(sample.algorithm.title) full verify", value: outcome.ratio, bound: .atLeast(50),
        detail: String(format: "%.2f µs, full %.2f µs", outcome.ours, outcome.raw)),
      Figure(
        name: "heap allocations of a cached hit", value: allocations, bound: .atMost(1), detail: "mean of 1,000"),
    ]
  }
}
