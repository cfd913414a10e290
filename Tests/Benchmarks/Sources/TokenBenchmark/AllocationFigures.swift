import TokenSamples

/// How many heap allocations of ours a full verification makes, without reading the claims afterwards.
struct AllocationFigures {
  let samples: [TokenSample]

  func verify() throws -> [Figure] {
    try samples.map { sample in
      Figure(
        name: "\(sample.algorithm.title) heap allocations of a full verify",
        value: try Allocations.perOperation(sample.verify), bound: .atMost(12), detail: "mean of 1,000")
    }
  }
}
