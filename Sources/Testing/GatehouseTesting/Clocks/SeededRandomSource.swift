public import GatehouseBase
import GatehouseQueues

/// A random source that yields the same numbers for the same seed, in every run. Usable from any thread; threads share
/// one sequence.
public final class SeededRandomSource: RandomSource {
  private let state: Lock<UInt64>

  /// Begins the sequence of a seed.
  public init(seed: UInt64) { state = Lock(seed) }

  /// Returns the next 64 bits of the sequence.
  public func next() -> UInt64 {
    // SplitMix64: a counter with an odd step, mixed so that consecutive values look unrelated.
    var bits = state.withLock { counter in
      counter &+= 0x9E37_79B9_7F4A_7C15
      return counter
    }
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
