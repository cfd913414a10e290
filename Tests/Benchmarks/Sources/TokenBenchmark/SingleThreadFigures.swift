import Foundation
import TokenSamples

/// Ours ÷ raw on one thread: how much of OpenSSL's own speed is left.
struct SingleThreadFigures {
  let samples: [TokenSample]
  /// For each figure.
  let seconds: Double

  func verify() throws -> [Figure] {
    let bounds: [SampleAlgorithm: Double] = [.RS256: 0.92, .ES256: 0.95, .EdDSA: 0.97, .HS256: 0.3]
    return try samples.map { sample in
      let raw = try sample.raw()
      return try figure("full verify ÷ raw verify", sample, bounds, Duel(ours: sample.verify, raw: raw.verify))
    }
  }

  /// `TokenSigner.sign` of a claim set that the caller has: writing header and claims as JSON, base64url, signature.
  func sign() throws -> [Figure] {
    let bounds: [SampleAlgorithm: Double] = [.RS256: 0.97, .ES256: 0.85, .EdDSA: 0.85]
    return try samples.filter { bounds[$0.algorithm] != nil }.map { sample in
      let raw = try sample.raw()
      return try figure("sign a claim set ÷ raw sign", sample, bounds, Duel(ours: sample.sign, raw: raw.sign))
    }
  }

  private func figure(
    _ what: String, _ sample: TokenSample, _ bounds: [SampleAlgorithm: Double], _ duel: Duel
  ) throws -> Figure {
    let outcome = try duel.run(seconds: seconds)
    return Figure(
      name: "\(sample.algorithm.title) \(what)", value: outcome.ratio,
      bound: .atLeast(bounds[sample.algorithm] ?? 1),
      detail: String(format: "%.2f µs, raw %.2f µs", outcome.ours, outcome.raw))
  }
}
