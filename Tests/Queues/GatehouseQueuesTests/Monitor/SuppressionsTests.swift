import GatehouseBase
import GatehouseQueues
import Testing

@Suite struct SuppressionsTests {
  private let report = WaitReport(.stall, name: "queue é → queue b", summary: "", rule: "")

  private func suppressions(_ text: String) throws -> Suppressions { try Suppressions(json: Array(text.utf8)) }

  @Test func `an entry counts before its date, and not from it on`() throws {
    let known = try suppressions(#"[{"name": "queue é → queue b", "reason": "issue 7", "expires": "2026-03-01"}]"#)
    #expect(known.covers(report, at: 1_772_323_199))  // the last second of 2026-02-28
    #expect(!known.covers(report, at: 1_772_323_200))
  }

  @Test func `names are bytes`() throws {
    let known = try suppressions(
      "[{\"name\": \"queue e\u{301} → queue b\", \"reason\": \"x\", \"expires\": \"2999-03-01\"}]")
    #expect(!known.covers(report, at: 0))
  }

  @Test(arguments: [
    "{}", "[1]", #"[{"name": "a", "reason": "b"}]"#, #"[{"name": "a", "reason": " ", "expires": "2026-01-01"}]"#,
    #"[{"name": "a", "reason": "b", "expires": "2026-13-01"}]"#,
    #"[{"name": "a", "reason": "b", "expires": "1.1.26"}]"#,
    #"[{"name": "a", "reason": "b", "expires": "2026-01-01", "also": "c"}]"#, "",
  ])
  func `a slip in the file is an error, not a finding that hides`(text: String) {
    #expect(throws: AuthError.self) { try suppressions(text) }
  }
}
