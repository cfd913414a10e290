import Foundation
import GatehouseWaits
import Testing

struct SuppressionsTests {
  private let report = WaitReport(.stall, name: "queue é → queue b", summary: "", rule: "")

  private func suppressions(_ text: String) throws -> Suppressions { try Suppressions(json: Array(text.utf8)) }

  @Test func `an entry counts before its date, and not from it on`() throws {
    let known = try suppressions(#"[{"name": "queue é → queue b", "reason": "issue 7", "expires": "2026-03-01"}]"#)
    #expect(known.covers(report, at: Date(timeIntervalSince1970: 1_772_323_199)))  // the last second of 2026-02-28
    #expect(!known.covers(report, at: Date(timeIntervalSince1970: 1_772_323_200)))
  }

  @Test func `a name with line numbers, as reports had it once, still counts, and is told with the new one`() throws {
    let moved = WaitReport(.stall, name: "lock in A.swift", title: "lock A.swift:7", summary: "", rule: "")
    let known = try suppressions(#"[{"name": "lock A.swift:7", "reason": "old", "expires": "2026-03-01"}]"#)
    let before = Date(timeIntervalSince1970: 1_772_323_199)
    #expect(known.covers(moved, at: before) && !known.covers(report, at: before))
    #expect(known.uses(in: [moved], at: before).compactMap(\.advice).first?.contains(#"now "lock in A.swift""#) == true)
  }

  @Test func `what is unused or has expired is told`() throws {
    let known = try suppressions(
      """
      [{"name": "queue é → queue b", "reason": "used", "expires": "2999-01-01"},
       {"name": "queue c", "reason": "unused", "expires": "2999-01-01"},
       {"name": "queue é → queue b", "reason": "expired", "expires": "2020-01-01"},
       {"name": "queue d\\u001b", "reason": "expired and unused", "expires": "2020-01-01"}]
      """)
    let uses = known.uses(in: [report], at: Date(timeIntervalSince1970: 1_772_323_200))
    #expect(uses.map(\.state) == [.used, .unused, .expired, .expired])
    #expect(
      uses.map(\.advice) == [
        nil, #"the suppression "queue c" was not used: nothing of that name was found"#,
        #"the suppression "queue é → queue b" has expired; what it names is reported again"#,
        #"the suppression "queue d\u{1B}" has expired; nothing of that name was found"#,
      ])
  }

  @Test(arguments: [
    ("1970-01-01", 0), ("1969-12-31", -86_400), ("2000-02-29", 951_782_400), ("2024-02-29", 1_709_164_800),
    ("2100-03-01", 4_107_542_400),
  ])
  func `a day begins in UTC`(day: String, seconds: Double) throws {
    let known = try suppressions(#"[{"name": "a", "reason": "b", "expires": "\#(day)"}]"#)
    #expect(known.entries.map(\.expires.timeIntervalSince1970) == [seconds])
  }

  @Test func `names are bytes`() throws {
    let known = try suppressions(
      "[{\"name\": \"queue e\u{301} → queue b\", \"reason\": \"x\", \"expires\": \"2999-03-01\"}]")
    #expect(!known.covers(report, at: Date(timeIntervalSince1970: 0)))
  }

  @Test(arguments: [
    ("{}", "the list must be a JSON array"), ("", "the list is not valid JSON"),
    ("[1]", "each entry must have the members"), (#"[{"name": "a", "reason": "b"}]"#, "each entry must have"),
    (#"[{"name": "a", "reason": "b", "expires": "2026-01-01", "also": "c"}]"#, "and no others"),
    (#"[{"name": "a", "reason": " ", "expires": "2026-01-01"}]"#, #"the entry "a" has no reason"#),
    (#"[{"name": "a", "reason": "b", "expires": "2026-13-01"}]"#, "must be a date such as 2027-01-31"),
    (#"[{"name": "a", "reason": "b", "expires": "2026-02-29"}]"#, #"there is no day "2026-02-29""#),
    (#"[{"name": "a", "reason": "b", "expires": "2100-02-29"}]"#, "must be a date such as 2027-01-31"),
    (#"[{"name": "a", "reason": "b", "expires": "1.1.26"}]"#, "must be a date such as 2027-01-31"),
  ])
  func `a mistake in the list is an error, not a finding that hides`(text: String, reason: String) {
    let error = #expect(throws: SuppressionError.self) { try suppressions(text) }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }
}
