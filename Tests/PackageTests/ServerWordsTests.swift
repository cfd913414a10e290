import Testing

/// The words of the protocol are members of `ServerWord`, and errors are told apart by code and word, not by their
/// text.
struct ServerWordsTests {
  /// Code that names a word by its letters, or reads an error's message.
  private static let patterns = [
    #"\bserver(Code)?:\s*\n?\s*"[A-Z]"#,
    #"\berror[?!]?\.message\s*(==|!=|\.\s*(contains|has(Prefix|Suffix)|starts|range|ranges|firstRange|firstMatch)\b)"#,
  ]

  private static func faults(in code: String) -> Int {
    patterns.reduce(0) { count, pattern in
      count + ((try? Regex(pattern)).map { code.matches(of: $0).count } ?? .max / 2)
    }
  }

  @Test func `no source names a word by its letters, or decides by a message`() throws {
    for file in try Repository.sources(in: "Sources") where Self.faults(in: file.code) > 0 {
      Issue.record("\(file.path): write the member of ServerWord, and compare codes and words")
    }
  }

  @Test(arguments: [
    #"throw AuthError(server: "EMAIL_EXISTS")"#, #"serverCode: "INVALID_ARGUMENT")"#,
    "AuthError(\n  server:\n  \"TOKEN\")",
    "error.message.contains(\"twice\")", "error?.message == other", "error.message\n  .hasPrefix(text)",
  ])
  func `such a line is found`(code: String) { #expect(Self.faults(in: code) == 1) }

  @Test(arguments: [
    "AuthError(server: .emailExists)", "error.message", "print(error.message + other)", "error.code == a",
  ])
  func `other lines are not`(code: String) { #expect(Self.faults(in: code) == 0) }
}
