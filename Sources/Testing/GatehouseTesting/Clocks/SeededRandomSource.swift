public import GatehouseBase
import GatehouseQueues

/// The same numbers for the same seed, in every run. Usable from any thread; threads share one sequence.
public final class SeededRandomSource: RandomSource {
  private let state: Lock<UInt64>

  /// Begins the sequence of a seed.
  /// Makes a source whose numbers follow from the seed.
  public init(seed: UInt64) { state = Lock(seed) }

  /// The next number of the sequence.
  /// The next 64 bits.
  public func next() -> UInt64 {
    // SplitMix64: a counter with an odd step, mixed so that neighbors look unrelated.
    var bits = state.withLock { counter in
      counter &+= 0x9E37_79B9_7F4A_7C15
      return counter
    }
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
