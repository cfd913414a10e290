import GatehouseBase

/// Verifies the lines of standard input, one answer a line, in order, whatever a line holds.
///
/// The answers to all lines that are there are on their way before it waits for more, so that a program at the other
/// end of a pipe can ask and wait.
struct Batch {
  /// In bytes. What is longer is answered without being read.
  static let longestLine = 1 << 20
  /// How many sets of rules are kept ready.
  private static let mostKept = 16

  private let subject: BatchVerifier.Subject
  private let defaults: BatchDefaults
  /// The last ones first.
  private var kept: [(rules: JSONObject, verifier: BatchVerifier)] = []

  init(_ subject: BatchVerifier.Subject, defaults: BatchDefaults) {
    self.subject = subject
    self.defaults = defaults
  }

  /// Returns at the end of the input; throws when it cannot be read, or an answer not be written.
  mutating func run() throws(AuthError) {
    var input = InputLines(limit: Self.longestLine)
    while let lines = try input.next() {
      var answers: [UInt8] = []
      for line in lines { answers += answer(to: line).serialized() + [UInt8(ascii: "\n")] }
      try StandardOutput.write(answers)
    }
  }

  private mutating func answer(to line: InputLines.Line) -> JSONObject {
    do throws(AuthError) {
      guard case .whole(let line) = line else {
        throw AuthError(.jsonTooLarge, "the line is longer than \(Self.longestLine) bytes")
      }
      let question = try BatchQuestion(line)
      return try verifier(for: question.rules).answer(to: question)
    } catch {
      return .refused(error)
    }
  }

  /// The verifier for some rules: whoever asks thousands of times with the same keys has them read once.
  private mutating func verifier(for rules: JSONObject) throws(AuthError) -> BatchVerifier {
    if let place = kept.firstIndex(where: { $0.rules == rules }) {
      if place > 0 { kept.insert(kept.remove(at: place), at: 0) }
      return kept[0].verifier
    }
    let verifier = try BatchVerifier(rules, for: subject, defaults: defaults)
    if kept.count == Self.mostKept { kept.removeLast() }
    kept.insert((rules, verifier), at: 0)
    return verifier
  }
}
