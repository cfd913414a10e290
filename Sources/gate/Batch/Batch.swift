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
  private var common: Result<JWKSet, AuthError>?
  /// When the common keys are asked for again, after a failure.
  private var again = Alarm(boot: 0)
  private let clocks = SystemClocks()
  /// The most recently used first.
  private var kept: [(rules: JSONObject, verifier: BatchVerifier)] = []

  init(_ subject: BatchVerifier.Subject, defaults: BatchDefaults) {
    self.subject = subject
    self.defaults = defaults
    common = defaults.given.map { .success($0) }
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
      answer = try await verifier(for: question.rules).answer(to: question)
    } catch {
      answer = .refused(error)
    }
    // A misspelled rule is not checked; the answer says so.
    if !ignored.isEmpty { answer["ignored"] = .array(ignored.map(JSONValue.string)) }
    return answer
  }

  /// The verifier for some rules: keys that thousands of lines share are read once.
  private mutating func verifier(for rules: JSONObject) async throws(AuthError) -> BatchVerifier {
    if let index = kept.firstIndex(where: { $0.rules == rules }) {
      if index > 0 { kept.insert(kept.remove(at: index), at: 0) }
      return kept[0].verifier
    }
    let line = BatchRules(rules, defaults: defaults.rules)
    let keys: JWKSet
    if let own = try line.keys() { keys = own } else { keys = try await commonKeys() }
    let verifier = try BatchVerifier(line, keys, for: subject)
    if kept.count == Self.maximumKept { kept.removeLast() }
    kept.insert((rules, verifier), at: 0)
    return verifier
  }

  /// The keys for lines without their own, read when the first of them comes. What hinders that may pass: a server that
  /// is busy says when to ask again, and else that is five seconds later.
  private mutating func commonKeys() async throws(AuthError) -> JWKSet {
    if let common, (try? common.get()) != nil || clocks.now().boot < again.boot { return try common.get() }
    let keys = defaults.keys
    let result: Result<JWKSet, AuthError>
    do throws(AuthError) { result = .success(try await keys.read()) } catch {
      result = .failure(
        AuthError(
          error.code, "the line has no keys of its own (jwks, jwk), and \(error.message)", retryAfter: error.retryAfter)
      )
    }
    if case .failure(let error) = result {
      again = Alarm(boot: clocks.now().boot + (error.retryAfter?.inSeconds ?? 5))
    }
    common = result
    return try result.get()
  }
}
