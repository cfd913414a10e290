import GatehouseBase
import Testing

/// Texts whose comparison would take quadratic time are not read.
struct CombiningMarksTests {
  private static let most = CombiningMarks.mostInRow
  /// Marks of the basic plane and of another one, raw and escaped.
  private static let marks = [
    ("\u{301}", "\\u0301"), ("\u{316}", "\\u0316"), ("\u{1D165}", "\\ud834\\udd65"), ("\u{5B0}", "\\u05b0"),
  ]

  private static func run(_ count: Int, escaped: (Int) -> Bool) -> String {
    (0..<count).map { escaped($0) ? marks[$0 % 4].1 : marks[$0 % 4].0 }.joined()
  }

  @Test func `a character has at most thirty marks, in every text of JSON`() throws {
    for escaped in [{ _ in false }, { _ in true }, { $0.isMultiple(of: 3) }] as [(Int) -> Bool] {
      for (before, after) in [
        (#"{"a":"x"#, #""}"#), (#"{"x"#, #"":1}"#), (#"{"a":["é"#, #""]}"#), (#"{"a":"\n"#, #""}"#),
      ] {
        let good = before + Self.run(Self.most, escaped: escaped) + after
        #expect(try JSONObject(parsing: good.utf8).count == 1)
        let bad = before + Self.run(Self.most + 1, escaped: escaped) + after
        let error = #expect(throws: AuthError.self, "\(bad)") { try JSONObject(parsing: bad.utf8) }
        #expect(error?.code == .jsonMalformed && error?.message.contains("combining marks") == true)
      }
    }
  }

  @Test(arguments: ["a", "\\n", "\\u0061", "é", "\u{1F600}", "\\ud83d\\ude00"])
  func `the next character has marks of its own`(between: String) throws {
    let run = Self.run(Self.most) { _ in false }
    #expect(try JSONObject(parsing: "{\"a\":\"a\(run)\(between)\(run)\"}".utf8).count == 1)
  }

  @Test func `a form, a query and a text have the same limit`() throws {
    let good = "a" + Self.run(Self.most) { _ in false }, bad = good + "\u{300}"
    #expect(good.isStreamSafe && (good + good).isStreamSafe && "".isStreamSafe && "plain".isStreamSafe)
    #expect(!bad.isStreamSafe && !("plain " + bad + " plain").isStreamSafe)
    #expect(try FormEncoding.decode(FormEncoding.encode([(good, good)])).count == 1)
    for items in [[(bad, "a")], [("a", bad)]] {
      #expect(throws: FormFault.malformed) { try FormEncoding.decode(FormEncoding.encode(items)) }
    }
  }
}
