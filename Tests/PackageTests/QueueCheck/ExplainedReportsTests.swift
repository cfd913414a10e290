import Foundation
import Testing

/// The guide and `gate queuecheck --explain` say the same.
struct ExplainedReportsTests {
  private static let kinds = [
    "potential deadlock", "wait for itself", "blocked pool thread", "pool exhausted", "undrained queue", "slow block",
    "stall",
  ]

  @Test(arguments: kinds) func `the guide has the same way to fix it`(kind: String) async throws {
    let outcome = try await QueueCheckScene.run([], ["--explain", kind])
    let line = try #require(outcome.output.split(separator: "\n").first { $0.hasPrefix("What to do: ") })
    let page = try Repository.text(of: "Docs/deadlocks.md").split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    #expect(page.contains("**\(kind)**: \(line.dropFirst("What to do: ".count))"), "\(line)")
  }

  @Test func `every kind is tried`() async throws {
    let unknown = try await QueueCheckScene.run([], ["--explain", "nothing"])
    let list = unknown.errors.firstMatch(of: /the kinds are: (.*)/)?.1.split(separator: ", ").map(String.init) ?? []
    #expect(Set(list) == Set(Self.kinds), "\(unknown)")
  }

  @Test func `the guide's table has every option of the command`() async throws {
    let help = try await ChildProcess("\(Repository.products)/gate", ["queuecheck", "--help"]).run().output
    let page = try Repository.text(of: "Docs/deadlocks.md")
    let options = help.matches(of: /^  (--[a-z-]+)/.anchorsMatchLineEndings()).map { String($0.1) }
    #expect(options.count > 9)
    for option in options where !["--version", "--home"].contains(option) {
      #expect(page.contains("| `\(option)"), "\(option)")
    }
  }
}
