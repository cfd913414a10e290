import Foundation
import TokenSamples

/// Two threads ÷ one, ours against raw's in the same run: whether two cores fight over something of ours.
///
/// By the wall clock: other programs on the machine count, against both.
struct ScalingFigures {
  let samples: [TokenSample]
  /// For each figure.
  let seconds: Double

  private static let rounds = 5
  /// What raw OpenSSL, which shares nothing between threads, reaches at least on two free cores.
  private static let quiet = 1.6
  /// In seconds.
  private static let slice = 0.02

  func verify() throws -> [Figure] {
    try samples.filter { [.RS256, .ES256].contains($0.algorithm) }.map(figure)
  }

  private func figure(_ sample: TokenSample) throws -> Figure {
    var ours: [Double] = []
    var raw: [Double] = []
    for _ in 0..<Self.rounds {
      let round = try round(sample)
      ours.append(round.ours)
      raw.append(round.raw)
    }
    let busy = raw.median < Self.quiet ? "; other programs kept a core busy: run it again" : ""
    return Figure(
      name: "\(sample.algorithm.title) two threads ÷ one ÷ raw's own", value: zip(ours, raw).map(/).median,
      bound: .atLeast(0.95),
      detail: String(format: "%.2f ×, raw %.2f ×, median of %d", ours.median, raw.median, Self.rounds) + busy)
  }

  /// One round in short slices of all four kinds in turns, so that a slow moment of the machine meets all of them; the
  /// median slice of each kind counts.
  private func round(_ sample: TokenSample) throws -> (ours: Double, raw: Double) {
    let slices = max(1, Int(seconds / (Self.slice * 4) / Double(Self.rounds)))
    var ours: [[Double]] = [[], []]
    var raw: [[Double]] = [[], []]
    for _ in 0..<slices {
      for place in 0...1 {
        ours[place].append(try Crew.throughput(threads: place + 1, seconds: Self.slice) { sample.verify })
        raw[place].append(try Crew.throughput(threads: place + 1, seconds: Self.slice) { try sample.raw().verify })
      }
    }
    return (ours[1].median / ours[0].median, raw[1].median / raw[0].median)
  }
}
