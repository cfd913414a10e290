import GatehouseSystem

/// What was observed while a promise was tested.
package struct Evidence {
  private var misses: [String] = []
  private var counted = 0
  /// What was counted or measured, for people to read.
  package var note = ""

  /// Whether at least one thing was checked, and everything was as promised.
  var holds: Bool { misses.isEmpty && counted > 0 }

  /// Compares an observed value with the promised one.
  package mutating func expect<Value: Equatable>(_ what: String, _ seen: Value, is expected: Value) {
    counted += 1
    if seen != expected { misses.append("\(what): expected \(expected), seen \(seen)") }
  }

  /// The promise on a line of its own. Below it is what was counted or, after a failure, what was expected and what was
  /// observed.
  func report(of promise: String, columns: Int) -> String {
    let sign = holds ? "✓" : "✗"
    let lines = holds ? [note] : misses.isEmpty ? ["nothing was looked at"] : misses
    let evidence = lines.map { $0.wrapped(at: columns, indent: 4) }
    return (["\(sign) \(promise)".wrapped(at: columns, indent: 2, first: 0)] + evidence).joined(separator: "\n")
  }
}

extension Duration {
  /// A short text such as `1.2 s`, `12.3 ms` or `45.6 µs`.
  var short: String {
    let (seconds, attoseconds) = components
    let microseconds = Double(seconds) * 1e6 + Double(attoseconds) / 1e12
    func rounded(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
    if microseconds < 1e3 { return "\(rounded(microseconds)) µs" }
    return microseconds < 1e6 ? "\(rounded(microseconds / 1e3)) ms" : "\(rounded(microseconds / 1e6)) s"
  }
}
