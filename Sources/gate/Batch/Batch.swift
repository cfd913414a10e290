import GatehouseBase
import GatehouseJOSE

/// Verifies the lines of standard input, one answer a line, in order, whatever a line contains.
///
/// Writes the answers to all lines that have come before it waits for more, so that a program at the other
/// end of a pipe can ask and wait.
struct Batch {
  /// In bytes. A longer line is answered without being parsed.
  static let longestLine = 1 << 20
  /// How many sets of rules are kept ready.
  private static let maximumKept = 16

  private let subject: BatchVerifier.Subject
  private let defaults: BatchDefaults
  private var common: CommonKeys
  /// The most recently used first, with the number of their keys.
  private var kept: [(rules: JSONObject, keys: UInt64, verifier: BatchVerifier)] = []
  /// The number of keys that the line itself has.
  private static let ownKeys = UInt64.max

  init(_ subject: BatchVerifier.Subject, defaults: BatchDefaults) {
    self.subject = subject
    self.defaults = defaults
    common = CommonKeys(defaults.keys, given: defaults.given)
  }

  /// Returns at the end of the input; throws when it cannot be read, or an answer not be written.
  mutating func run() async throws(AuthError) {
    var input = InputLines(limit: Self.longestLine)
    while let lines = try input.next() {
      var answers: [UInt8] = []
      for line in lines { answers += await answer(to: line).serialized() + [UInt8(ascii: "\n")] }
      try StandardOutput.write(answers)
    }
  }

  private mutating func answer(to line: InputLines.Line) async -> JSONObject {
    var ignored: [String] = []
    var answer: JSONObject
    do throws(AuthError) {
      guard case .whole(let line) = line else {
        throw AuthError(.jsonTooLarge, "the line is longer than \(Self.longestLine) bytes")
      }
      let question = try BatchQuestion(line)
      ignored = question.rules.names.filter { name in !subject.rules.contains { $0.isExactly(name) } }
      answer = try await self.answer(to: question)
    } catch {
      answer = .refused(error)
    }
    // A misspelled rule is not checked; the answer says so.
    if !ignored.isEmpty { answer["ignored"] = .array(ignored.map(JSONValue.string)) }
    return answer
  }

  /// The answer to a good token. Where the token's key is not known, the common keys may have changed.
  private mutating func answer(to question: BatchQuestion) async throws(AuthError) -> JSONObject {
    let rules = BatchRules(question.rules, defaults: defaults.rules)
    if let own = try rules.keys() {
      return try verifier(for: question, rules, (own, Self.ownKeys)).answer(to: question)
    }
    do throws(AuthError) {
      return try verifier(for: question, rules, await common.keys()).answer(to: question)
    } catch {
      guard error.code == .unknownKey, let keyID = question.keyID,
        let keys = try await common.keys(withOneNamed: keyID)
      else { throw error }
      return try verifier(for: question, rules, keys).answer(to: question)
    }
  }

  /// The verifier for some rules: keys that thousands of lines share are prepared once.
  private mutating func verifier(
    for question: BatchQuestion, _ rules: BatchRules, _ keys: CommonKeys.Version
  ) throws(AuthError) -> BatchVerifier {
    if let index = kept.firstIndex(where: { $0.keys == keys.number && $0.rules == question.rules }) {
      if index > 0 { kept.insert(kept.remove(at: index), at: 0) }
      return kept[0].verifier
    }
    let verifier = try BatchVerifier(rules, keys.keys, for: subject)
    kept.removeAll { $0.rules == question.rules }
    if kept.count == Self.maximumKept { kept.removeLast() }
    kept.insert((question.rules, keys.number, verifier), at: 0)
    return verifier
  }
}
