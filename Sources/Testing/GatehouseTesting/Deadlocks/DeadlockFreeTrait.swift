public import GatehouseQueues
public import Testing

/// A test, or every test of a suite, in which no circle of waits may become possible.
///
/// The wait monitor is on while the test runs, with a graph of its own for each test and each of its arguments; the
/// queues and locks that the test makes belong to it, so tests may run side by side. A wait by which a circle can close
/// fails the test, whether or not it hangs in this run, and the report is in the failure.
public struct DeadlockFreeTrait: TestTrait, SuiteTrait, TestScoping {
  public let isRecursive = true
  let suppressions: Suppressions

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    for report in try await WaitMonitor.watching(suppressing: suppressions, function) {
      Issue.record("\(report)", sourceLocation: test.sourceLocation)
    }
  }

  public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }
}

extension Trait where Self == DeadlockFreeTrait {
  /// Fails the test when waits that it makes can close a circle.
  public static var deadlockFree: Self { deadlockFree() }

  /// Fails the test when waits that it makes can close a circle, but for those that are known.
  public static func deadlockFree(suppressing suppressions: Suppressions = Suppressions()) -> Self {
    Self(suppressions: suppressions)
  }
}
