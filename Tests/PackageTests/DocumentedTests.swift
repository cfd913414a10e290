import Testing

/// A test that a document names as the one that holds its claim: `SuiteName/the sentence that is its name`.
struct TestReference: Sendable, Hashable, CustomTestStringConvertible {
  let suite: String
  let test: String

  var testDescription: String { "\(suite)/\(test)" }

  /// The references of a Markdown text: a suite, a slash and a sentence between backticks. A sentence has a space, and
  /// may go on in the next line; a path has none.
  static func all(in text: some StringProtocol) -> [Self] {
    String(text).matches(of: /`([A-Z]\w*)\/([^`\/]*\s[^`\/]*)`/).map { match in
      Self(suite: String(match.1), test: match.2.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    }
  }

  /// The references of each numbered rule, headings (`## 3. …`) or list items (`3. …`), by number. What stands before
  /// the first belongs to none.
  static func byRule(in text: String) -> [Int: [Self]] {
    let begins = text.matches(of: /^(?:#+\s+)?(\d+)\.\s/.anchorsMatchLineEndings())
    let ends = begins.dropFirst().map(\.range.lowerBound) + [text.endIndex]
    return zip(begins, ends).reduce(into: [:]) { rules, rule in
      rules[Int(rule.0.1) ?? 0, default: []] += all(in: text[rule.0.range.upperBound..<rule.1])
    }
  }
}

/// The tests that there are.
struct TestIndex: Sendable {
  private var tests: [String: Set<String>] = [:]

  /// Reads test sources: the sentences of a file belong to every type that it declares or extends.
  init(_ sources: [SourceFile]) {
    for file in sources {
      let sentences = file.code.matches(of: /@Test\b[^`]*?\bfunc\s+`([^`]+)`/).map { String($0.1) }
      for type in file.code.matches(of: /\b(?:struct|class|actor|enum|extension)\s+(\w+)/) {
        tests[String(type.1), default: []].formUnion(sentences)
      }
    }
  }

  func has(_ reference: TestReference) -> Bool { tests[reference.suite]?.contains(reference.test) ?? false }
}

struct DocumentedTests {
  static let threading = "Docs/threading.md"

  @Test(.enabled(if: Repository.exists("Docs"), "there are no documents yet"))
  func `every test that a document names is there`() throws {
    let index = TestIndex(try Repository.sources(in: "Tests"))
    for path in try Repository.files(in: "Docs", ending: ".md") {
      let missing = TestReference.all(in: try Repository.text(of: path)).filter { !index.has($0) }
      #expect(missing == [], "\(path) names tests that are not there")
    }
  }

  @Test func `every group of bad input in Docs/SECURITY.md names tests that are there`() throws {
    let sentences = try Repository.sources(in: "Tests").flatMap { file in
      file.code.matches(of: /@Test\b[^`]*?\bfunc\s+`([^`]+)`/).map { String($0.1) }
    }
    let rows = try Repository.text(of: "Docs/SECURITY.md").matches(
      of: /^\| (\d+) \|[^|]*\|(.*)\|$/.anchorsMatchLineEndings())
    #expect(rows.compactMap { Int($0.1) } == Array(1...23))
    for row in rows {
      let named = row.2.matches(of: /`([^`]+)`/).map { String($0.1) }
      #expect(!named.isEmpty && Set(named).subtracting(sentences).isEmpty, "group \(row.1)")
    }
  }

  @Test func `every link of the README leads somewhere`() throws {
    let links = try Repository.text(of: "README.md").matches(of: /\]\(([^)#:]+)\)/).map { String($0.1) }
    #expect(!links.isEmpty && links.filter { !Repository.exists($0) } == [])
  }

  @Test(.enabled(if: Repository.exists(threading), "Docs/threading.md is not written yet"))
  func `every rule of the threading contract names a test`() throws {
    let rules = TestReference.byRule(in: try Repository.text(of: Self.threading))
    for rule in 1...max(14, rules.keys.max() ?? 0) {
      #expect(rules[rule]?.isEmpty == false, "rule \(rule) of \(Self.threading) names no test")
    }
  }

  @Test func `references are read from a document`() {
    let text = """
      Not one: `Sources/Auth/Gatehouse`, `Auth`, `a/b c`.
      1. Held by `OneTests/it works` and `OneTests/it works
         on two lines`.
      ## 2. Held by `TwoTests/so does this`
      3. By none.
      """
    let one = TestReference(suite: "OneTests", test: "it works")
    let lines = TestReference(suite: "OneTests", test: "it works on two lines")
    let two = TestReference(suite: "TwoTests", test: "so does this")
    #expect(TestReference.all(in: text) == [one, lines, two])
    #expect(TestReference.byRule(in: text) == [1: [one, lines], 2: [two], 3: []])
  }

  @Test func `a test is found under its suite and its name only`() {
    let tick = "`"
    let index = TestIndex([
      SourceFile(
        path: "",
        text: """
          @Suite(.serialized) struct OneTests {
            @Test(arguments: [1]) func \(tick)it works\(tick)(number: Int) {}
            func \(tick)it helps\(tick)() {}
            // @Test func \(tick)it is gone\(tick)() {}
          }
          """)
    ])
    #expect(index.has(TestReference(suite: "OneTests", test: "it works")))
    #expect(!index.has(TestReference(suite: "OneTests", test: "it helps")))
    #expect(!index.has(TestReference(suite: "OneTests", test: "it is gone")))
    #expect(!index.has(TestReference(suite: "TwoTests", test: "it works")))
  }
}
