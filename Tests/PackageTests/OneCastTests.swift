import Testing

/// The provider finds out once what a call is, and what the compiler does not know is not asked.
struct OneCastTests {
  /// Returns the casts to a protocol.
  private static func casts(in code: String) -> Int { code.matches(of: /\b(?:as[?!]|is)\s+any\b/).count }

  @Test func `the provider casts a call at its door, and nowhere else`() throws {
    let casts = try Repository.sources(in: "Sources/Provider/GatehouseLocal").filter { Self.casts(in: $0.code) > 0 }
    #expect(casts.map(\.path) == ["Sources/Provider/GatehouseLocal/LocalBackend.swift"])
    #expect(casts.map { Self.casts(in: $0.code) } == [1])
  }

  @Test(arguments: ["call as? any LocalCall", "if call is any AdminCall {", "(call as!\n  any Call)"])
  func `such a cast is found`(code: String) { #expect(Self.casts(in: code) == 1) }
}
