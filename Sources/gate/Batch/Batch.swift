import GatehouseBase
import GatehouseJOSE

/// Verifies the lines of standard input in order, and writes one line of answer for each, whatever the line contains.
///
/// All lines that have arrived are answered before it waits for more input, so that a program at the other end of a
/// pipe can send a line and wait for its answer.
struct Batch {
  /// The maximum length of a line, in bytes. A longer line is refused without being parsed.
  static let longestLine = 1 << 20
  /// The maximum number of verifiers that are kept ready, one for each set of rules.
  private static let maximumKept = 16

  private let subject: BatchVerifier.Subject
  private let defaults: BatchDefaults
  private var common: CommonKeys
  /// The verifiers that are kept ready, each with the version number of its keys; the most recently used one comes
  /// first.
  private var kept: [(rules: JSONObject, keys: UInt64, verifier: BatchVerifier)] = []
  /// The version number for keys that are in the line itself.
  private static let ownKeys = UInt64.max

  init(_ subject: BatchVerifier.Subject, defaults: BatchDefaults) {
    self.subject = subject
    self.defaults = defaults
    common = CommonKeys(defaults.keys, given: defaults.given)
  }

  /// Returns at the end of the input. Throws if the input cannot be read or an answer cannot be written.
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
    // A rule with a misspelled name is not checked; the answer lists its name.
    if !ignored.isEmpty { answer["ignored"] = .array(ignored.map(JSONValue.string)) }
    return answer
  }

  /// Returns the answer to a valid token. If the token's key is not known, or the token does not verify with it, the
  /// common keys may have changed (decision 99): it looks for a newer version of them.
  private mutating func answer(to question: BatchQuestion) async throws(AuthError) -> JSONObject {
    let rules = BatchRules(question.rules, defaults: defaults.rules)
    if let own = try rules.keys() {
      return try verifier(for: question, rules, (own, Self.ownKeys)).answer(to: question)
    }
    let keys = try await common.keys()
    do throws(AuthError) {
      return try verifier(for: question, rules, keys).answer(to: question)
    } catch {
      guard let newer = try await self.keys(after: error, of: question, rules, replacing: keys) else { throw error }
      return try verifier(for: question, rules, newer).answer(to: question)
    }
  }

  /// Returns the keys to verify a token with once more; `nil` if there are none.
  private mutating func keys(
    after error: AuthError, of question: BatchQuestion, _ rules: BatchRules, replacing old: CommonKeys.Version
  ) async throws(AuthError) -> CommonKeys.Version? {
    guard [.unknownKey, .signatureInvalid, .algorithmRefused].contains(error.code),
      let algorithm = question.algorithm, try rules.algorithms().contains(algorithm)
    else { return nil }
    if error.code == .unknownKey, let keyID = question.keyID {
      return try await common.keys(withOneNamed: keyID, for: algorithm)
    }
    return try await common.keys(replacing: old.number)
  }

  /// Returns the verifier for these rules. It is kept, so that keys that thousands of lines share are prepared only
  /// once.
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
