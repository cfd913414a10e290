import TokenSamples

/// A peer's figures over all rounds.
struct Row {
  let peer: Peer
  private(set) var version = ""
  /// Why there are no figures, where there are none.
  private(set) var silences: [SampleAlgorithm: String] = [:]
  private var runs: [SampleAlgorithm: [Double]] = [:]

  init(_ peer: Peer) { self.peer = peer }

  /// Lets the peer run once, unless it has said that it cannot.
  mutating func run(_ algorithm: SampleAlgorithm, _ options: Options) {
    guard silences[algorithm] == nil else { return }
    do throws(Peer.Silence) {
      let run = try peer.run(algorithm, in: options.folder, seconds: options.seconds)
      runs[algorithm, default: []].append(run.perSecond)
      version = run.version
    } catch {
      switch error {
      case .absent(let reason): silences[algorithm] = "absent: " + reason
      case .unsupported: silences[algorithm] = "not supported"
      case .failed(let reason): silences[algorithm] = "failed: " + reason
      }
    }
  }

  /// Tokens per second of processor time, the median of the rounds; `nil` where there was none.
  func perSecond(_ algorithm: SampleAlgorithm) -> Double? {
    guard silences[algorithm] == nil, let runs = runs[algorithm]?.sorted(), !runs.isEmpty else { return nil }
    return runs[runs.count / 2]
  }
}
