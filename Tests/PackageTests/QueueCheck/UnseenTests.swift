import Foundation
import Testing

struct UnseenTests {
  @Test func `the guide lists what the tool prints`() async throws {
    let outcome = try await QueueCheckScene.run(["true"], ["--verbose"])
    let printed = try #require(outcome.errors.split(separator: "Not seen:\n").last)
      .split(separator: "\n").prefix { $0.hasPrefix("- ") }
    let page = try Repository.text(of: "Docs/deadlocks.md").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(printed.count >= 12)
    for line in printed { #expect(page.contains(line), "not in the guide: \(line)") }
  }
}
