import Foundation
import GatehouseDeadlocks
import GatehouseQueues
import GatehouseWaits
import Testing

struct DeadlockFreeTests {
  private func run(_ trait: DeadlockFreeTrait, _ body: @escaping @Sendable () -> Void) async throws {
    let test = try #require(Test.current)
    try await trait.provideScope(for: test, testCase: Test.Case.current) { body() }
  }

  private static let cycle: @Sendable () -> Void = {
    let one = SerialQueue(label: "one"), other = SerialQueue(label: "other")
    one.sync { other.sync {} }
    other.sync { one.sync {} }
  }

  @Test func `a test that closes a cycle fails, with the report`() async throws {
    try await withKnownIssue {
      try await run(.deadlockFree, Self.cycle)
    } matching: { issue in
      issue.comments.contains { "\($0)".contains("queue one → queue other → queue one") }
    }
  }

  @Test func `what is suppressed does not fail it`() async throws {
    let known = try Suppressions.Entry(
      name: "queue one → queue other → queue one", reason: "a test", expires: .distantFuture)
    try await run(.deadlockFree(suppressing: Suppressions([known])), Self.cycle)
  }

  @Test(.deadlockFree) func `the trait is for tests`() {
    let one = SerialQueue(label: "one"), other = SerialQueue(label: "other")
    one.sync { other.sync {} }
  }

  @Test(.deadlockFree, .serialized, arguments: [false, true]) func `each argument has a graph of its own`(
    isReversed: Bool
  ) {
    let one = Self.shared[0], other = Self.shared[1]
    if isReversed { other.sync { one.sync {} } } else { one.sync { other.sync {} } }
  }

  private static let shared = [SerialQueue(label: "shared one"), SerialQueue(label: "shared other")]
}
