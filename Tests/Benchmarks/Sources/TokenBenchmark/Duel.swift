/// Ours and raw on one thread: short rounds in turns, processor time, medians.
struct Duel {
  /// Each does a thing `count` times.
  let ours: (Int) throws -> Void
  let raw: (Int) throws -> Void

  struct Outcome {
    /// Microseconds for one.
    let ours: Double
    let raw: Double
    /// Raw's time ÷ ours, the median over the rounds.
    let ratio: Double
  }

  /// Rounds of about 10 ms each, for about `seconds` seconds; at least 5 of each.
  func run(seconds: Double) throws -> Outcome {
    try ours(100)
    let warmUp = try Stopwatch.processorTime { try raw(100) }
    let count = max(1, Int(100 * 0.01 / max(warmUp, 1e-6)))
    var our: [Double] = []
    var their: [Double] = []
    let end = Stopwatch.now + seconds
    while Stopwatch.now < end || our.count < 5 {
      // The first of the two changes from round to round, so that neither always finds the other's warm caches.
      if our.count.isMultiple(of: 2) {
        our.append(try Stopwatch.processorTime { try ours(count) })
        their.append(try Stopwatch.processorTime { try raw(count) })
      } else {
        their.append(try Stopwatch.processorTime { try raw(count) })
        our.append(try Stopwatch.processorTime { try ours(count) })
      }
    }
    let microseconds = 1e6 / Double(count)
    return Outcome(
      ours: our.median * microseconds, raw: their.median * microseconds, ratio: zip(their, our).map(/).median)
  }
}
