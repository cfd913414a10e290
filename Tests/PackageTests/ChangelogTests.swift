import Testing

struct ChangelogTests {
  @Test func `the entries have dates, newest first`() throws {
    let changelog = try Repository.text(of: "Docs/CHANGELOG.md")
    let headings = changelog.matches(of: /^## (.*)$/.anchorsMatchLineEndings()).map { String($0.1) }
    let dates = headings.map { String($0.prefix(10)) }
    #expect(headings.count > 5)
    #expect(dates.allSatisfy { $0.wholeMatch(of: /20[0-9]{2}-[01][0-9]-[0-3][0-9]/) != nil })
    #expect(dates == dates.sorted(by: >))
  }
}
