package import Testing

/// A trait that ends the test process if a test of it hangs, and names the tests that were running.
///
/// `.timeLimit` counts while the test waits for a thread, so that a busy machine makes it fail, and it cannot end a test
/// that is blocked.
package struct HangGuardTrait: TestTrait, SuiteTrait, TestScoping {
  package let isRecursive = true

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let location = test.sourceLocation
    let id = Watchdog.shared.begin("\(location.fileID):\(location.line) \(test.name)")
    defer { Watchdog.shared.end(id) }
    try await function()
  }

  package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }
}

extension Trait where Self == HangGuardTrait {
  /// Ends the test process if a test hangs.
  package static var endsIfItHangs: Self { Self() }
}
