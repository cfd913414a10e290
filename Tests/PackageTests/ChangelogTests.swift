import Testing

@Suite struct ChangelogTests {
  @Test func `the commit that the public symbols are compared with has the first entry`() throws {
    let script = try Repository.text(of: "scripts/check")
    let baseline = try #require(script.firstMatch(of: /^baseline=([0-9a-f]{40})$/.anchorsMatchLineEndings())).1
    let changelog = try Repository.text(of: "Docs/CHANGELOG.md")
    let first = try #require(changelog.firstMatch(of: /^## .*`([0-9a-f]+)`$/.anchorsMatchLineEndings())).1
    #expect(first.count >= 7 && baseline.hasPrefix(first))
  }
}
