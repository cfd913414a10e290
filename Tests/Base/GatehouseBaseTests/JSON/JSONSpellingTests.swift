import GatehouseBase
import Testing

// Every way to spell a letter or a word that is nearly right. The public suite has some of them; a clone without it has
// these.
struct `JSON, nearly right,` {
  /// Bytes that begin or end a range in which some sequence goes on, and letters that end none.
  private static let next: [UInt8] = [0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0]

  @Test(arguments: UInt8(0x80)...0xFF) func `is UTF-8, or refused`(first: UInt8) {
    var sequences: [[UInt8]] = [[first]]
    let longest = first < 0xF0 ? 3 : 4
    for length in 1...longest {
      for sequence in sequences {
        let isUTF8 = String(validating: sequence, as: UTF8.self) != nil
        #expect((Self.code([0x22] + sequence + [0x22]) == nil) == isUTF8, "\(sequence)")
        // Without an end, where there is nothing to look at behind it.
        #expect(Self.code([0x22] + sequence) == .jsonMalformed, "\(sequence)")
      }
      if length < longest { sequences = sequences.flatMap { sequence in Self.next.map { sequence + [$0] } } }
    }
  }

  @Test func `has no half of a surrogate pair, nor anything between the halves`() {
    #expect(Self.code(#""\uD834\uDD1E""#) == nil)
    #expect(Self.code(#""\uD7FF\uE000""#) == nil)
    for text in [
      #"\uD834"#, #"\uDD1E"#, #"\uDD1E\uD834"#, #"\uDD1E\uDD1E"#, #"\uD834\uD834"#, #"\uD834\uE000"#, #"\uD834\u0041"#,
      #"\uD834\nDD1E"#, #"\uD834\\uDD1E"#, #"\uD834/uDD1E"#, #"\uD834 \uDD1E"#, #"\uD834\uDD1"#, #"\uD834\uDD1g"#,
      #"\uD834\u"#, #"\uD834\"#, #"\uD83"#, #"\u"#, #"\u 041"#, #"\u+041"#, #"\U0041"#, #"\x41"#, #"\a"#, #"\0"#,
      #"\'"#,
    ] {
      #expect(Self.code("\"\(text)\"") == .jsonMalformed, "\(text)")
      #expect(Self.code("\"\(text)") == .jsonMalformed, "\(text), without an end")
    }
  }

  @Test(arguments: ["true", "false", "null"]) func `is a word, or refused`(word: String) {
    let letters = Array(word.utf8)
    #expect(Self.code(letters) == nil)
    for place in letters.indices {
      for other: UInt8 in [letters[place] ^ 0x20, letters[place] + 1, 0x20, 0x00, 0xC3] {
        var changed = letters
        changed[place] = other
        // Space before or behind a word is none of it; what is left of it is none either.
        #expect(Self.code(changed) == .jsonMalformed, "\(changed)")
        #expect(Self.code(Array("[0,".utf8) + changed + Array(",0]".utf8)) == .jsonMalformed, "\(changed)")
      }
      #expect(Self.code(Array(letters[..<place])) == .jsonMalformed)
    }
    for text in [word + word, word + "x", word + "0", word + "\"\""] { #expect(Self.code(text) == .jsonMalformed) }
  }

  @Test(arguments: [
    "-", "+1", "01", "-01", "00", "1.", ".1", "-.1", "1.e1", "1e", "1e+", "1E-", "1e1.5", "0x1", "1_0", "1a", "--1",
    "1-",
    "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1 2", "",
  ])
  func `is a number, or refused`(text: String) {
    #expect(Self.code(text) == .jsonMalformed)
    #expect(Self.code("[\(text)]") == (text == "" ? nil : .jsonMalformed))
  }

  @Test func `is a number that a double holds, however it is spelled`() {
    let nines = String(repeating: "9", count: 308)
    #expect(Self.code(nines) == nil)
    #expect(Self.code("0." + nines + nines) == nil)
    #expect(Self.code(nines + "9") == .jsonMalformed)
    #expect(Self.code("-" + nines + "9") == .jsonMalformed)
    #expect(Self.code(nines + "9.0") == .jsonMalformed)
    for text in ["0", "-0", "0.0", "1e5", "1E+5", "1e-5", "-1.5e05"] { #expect(Self.code(text) == nil, "\(text)") }
  }

  @Test(arguments: [
    "{", "[", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{1:1}", "{a:1}", "{a\":1}",
    "{ab\":1}", "{\"a\":1,b\":2}", "{\"a\" 1}", "{\"a\"::1}",
    "{\"a\":1 \"b\":2}", "{\"a\":1;\"b\":2}", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1;2]", "[1:2]", "{\"a\"}", "{]",
    "[}",
    "1,", "[]]", "{}}", "[] []", "// a\n1", "/**/1", "[1]//", "'a'", "\u{FEFF}[]", "[]\u{C}", "\u{B}[]", "[]\u{A0}",
    "[]\u{0}",
  ])
  func `is one value, or refused`(text: String) { #expect(Self.code(text) == .jsonMalformed) }

  private static func code(_ text: String) -> AuthError.Code? { code(Array(text.utf8)) }

  private static func code(_ bytes: [UInt8]) -> AuthError.Code? {
    do throws(AuthError) {
      _ = try typed { try JSONValue(parsing: bytes) }
      return nil
    } catch { return error.code }
  }
}
