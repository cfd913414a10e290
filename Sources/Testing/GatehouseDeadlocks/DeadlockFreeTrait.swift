import GatehouseQueues
public import GatehouseWaits
public import Testing

/// A trait that fails a test, or each test of a suite, if a wait in it closes a cycle.
///
/// The wait monitor is on while the test runs. Each test, and each of its arguments, has its own graph, to which the
/// queues and locks that it makes belong, so tests may run in parallel. A cycle fails the test whether or not this run
/// deadlocks. The issue contains the report.
public struct DeadlockFreeTrait: TestTrait, SuiteTrait, TestScoping {
  /// The trait of a suite applies to its nested suites.
  public let isRecursive = true
  let suppressions: Suppressions

  /// Runs the test under the wait monitor, and records an issue for each report. Called by Swift Testing.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    for report in try await WaitMonitor.watching(suppressing: suppressions, function) {
      Issue.record("\(report)", sourceLocation: test.sourceLocation)
    }
  }

  /// Returns the trait itself for each test case; `nil` for the test as a whole. Called by Swift Testing.
  public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }
}

extension Trait where Self == DeadlockFreeTrait {
  /// Fails the test if its waits form a cycle.
  public static var deadlockFree: Self { deadlockFree() }

  /// Fails the test if its waits form a cycle, except for the cycles that are suppressed.
  public static func deadlockFree(suppressing suppressions: Suppressions = Suppressions()) -> Self {
    Self(suppressions: suppressions)
  }
}
