import Testing

/// The engine has one way from a response to what it holds, and it asks whose answer that is.
struct AnswersTests {
  /// Where the check is.
  static let gate = "Sources/Auth/GatehouseCore/Tokens/AnswersOfOneUser.swift"
  /// Making tokens of parts, and reading tokens or accounts from a response.
  static let pattern = #"SessionTokens\(\s*idToken\b|\bresponse\.(idToken|refreshToken|users)\b|\busers\?"#

  @Test func `the engine takes tokens and profiles from answers in one place only`() throws {
    let engine = try Repository.sources(in: "Sources/Auth/GatehouseCore")
    let places = try engine.filter { $0.path != Self.gate }.flatMap { try $0.places(of: Self.pattern) }
    #expect(places == [])
    #expect(try #require(engine.first { $0.path == Self.gate }).places(of: Self.pattern).count >= 3)
  }

  @Test(arguments: [
    "let tokens = SessionTokens(idToken: a, refreshToken: b, lifetime: 1, received: now)",
    "session.tokens.idToken = response.idToken", "let account = answer.users?.first",
  ])
  func `another way is found`(line: String) throws {
    #expect(
      try SourceFile(path: "Sources/Auth/GatehouseCore/New.swift", text: line).places(of: Self.pattern).count == 1)
  }
}
