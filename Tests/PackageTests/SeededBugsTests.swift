import Testing

struct SeededBugsTests {
  /// `scripts/bugs` takes these guards out, which takes an hour: here it is seen that they are still there.
  @Test func `each seeded bug names lines of its source`() throws {
    let bugs = try Repository.files(in: "Tests/SeededBugs", ending: ".bug")
    #expect(bugs.count > 30)
    for file in bugs {
      let text = try Repository.text(of: file)
      let source = try #require(text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().first)
      let lines = try #require(text.firstMatch(of: /--- instead of\n((?s).*?\n)--- write/)).1
      #expect(try Repository.text(of: String(source)).contains(lines), "\(file): whole lines")
    }
  }
}
