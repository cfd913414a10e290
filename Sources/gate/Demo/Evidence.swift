/// What was seen while a promise was tried.
struct Evidence {
  private var misses: [String] = []
  private var counted = 0
  /// What was counted or measured, for people.
  var note = ""

  /// Whether something was looked at, and all of it was as promised.
  var holds: Bool { misses.isEmpty && counted > 0 }

  /// Compares what was seen with what was promised.
  mutating func expect<Value: Equatable>(_ what: String, _ seen: Value, is expected: Value) {
    counted += 1
    if seen != expected { misses.append("\(what): expected \(expected), seen \(seen)") }
  }

  /// The promise's line; of one that failed, with what was expected and seen.
  func report(of promise: String) -> String {
    if holds { return "✓ \(promise): \(note)" }
    let misses = misses.isEmpty ? ["nothing was looked at"] : misses
    return (["✗ \(promise)"] + misses.map { "    \($0)" }).joined(separator: "\n")
  }
}

extension Duration {
  /// `12.3 ms`, `45.6 µs`
  var short: String {
    let (seconds, attoseconds) = components
    let microseconds = Double(seconds) * 1e6 + Double(attoseconds) / 1e12
    func rounded(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
    return microseconds < 1000 ? "\(rounded(microseconds)) µs" : "\(rounded(microseconds / 1000)) ms"
  }
}
