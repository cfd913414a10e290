import Foundation

/// Runs work that blocks, on a thread of its own: a test that blocks one of Swift's threads may wait for another one
/// that gets none.
package func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
  }
}
