import Foundation
import GatehouseJOSE
import TokenSamples

/// The effect of very many different tokens on the memory of a process with a bounded cache.
struct CacheMemory {
  /// With HS256, which is cheap to sign and verify.
  let sample: TokenSample
  let tokens: Int

  /// The cache may have as many tokens as fit in its bytes.
  private static let limits = TokenCache.Limits(tokens: .max, bytes: 32 << 20)

  func figure() throws -> Figure {
    let cache = TokenCache(limits: Self.limits)
    let verifier = try CachedTokenVerifier(sample.verifier, cache: cache)
    _ = try verifier.verify(sample.token)
    let before = try Self.resident()
    var most = before
    for number in 1...tokens {
      var claims = sample.claims
      claims["sub"] = .string("user-\(number)")
      _ = try verifier.verify(sample.signer.sign(claims))
      if number % 1000 == 0 { most = max(most, try Self.resident()) }
    }
    let seen = cache.statistics
    guard seen.misses == tokens + 1, seen.hits == 0 else { throw SampleError("the tokens were not all different") }
    guard seen.bytes <= Self.limits.bytes else { throw SampleError("the cache says itself that it is too large") }
    return Figure(
      name: "MiB that a cache of 32 grows by, \(tokens) tokens", value: Self.mebibytes(most - before),
      bound: .atMost(Self.mebibytes(Self.limits.bytes)),
      detail: String(
        format: "resident %.1f before, %.1f at most; %d tokens kept", Self.mebibytes(before), Self.mebibytes(most),
        seen.tokens))
  }

  private static func mebibytes(_ bytes: Int) -> Double { Double(bytes) / Double(1 << 20) }

  /// The memory of this process that is in RAM, in bytes.
  private static func resident() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let fields = text.split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { throw SampleError("/proc/self/statm is not readable") }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }
}
