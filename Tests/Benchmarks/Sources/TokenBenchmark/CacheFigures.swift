import TokenSamples

/// What the cache of verified tokens saves.
///
/// CACHE: the cache does not exist yet, and neither figure is measured. When it does: one `Duel` with a cached hit as
/// `ours` and `sample.verify` of the ES256 sample as `raw` gives the first figure (its ratio is full time ÷ hit time),
/// and `Allocations.perOperation` around a hit the second.
struct CacheFigures {
  let sample: TokenSample
  /// For each figure.
  let seconds: Double

  func all() throws -> [Figure] {
    [
      Figure(name: "cached hit ÷ ES256 full verify", value: nil, bound: .atLeast(50), detail: "there is no cache yet"),
      Figure(name: "heap allocations of a cached hit", value: nil, bound: .atMost(1), detail: "there is no cache yet"),
    ]
  }
}
