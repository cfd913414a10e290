public import Foundation
import GatehouseBase
import GatehouseCore
import GatehouseQueues

/// Called with the outcome of a call, exactly once, on every path.
///
/// A closure that is isolated to an actor, usually the main actor, is called on that actor. Any other closure is called
/// on the callback queue, which is the main queue unless the configuration names another. The closure is released where
/// it is called.
public typealias Completion<Value: Sendable> = @isolated(any) @Sendable (Result<Value, AuthError>) -> Void

extension AuthEngine {
  /// Runs the completion form of a call: begins on the work queue at once, and calls the completion on its actor or the
  /// callback queue.
  nonisolated func deliver<Value: Sendable>(
    to completion: @escaping Completion<Value>, _ name: StaticString = #function,
    _ operation: @escaping @WorkQueue @Sendable () async throws(AuthError) -> Value
  ) {
    callbacks.deliver(to: completion, name, operation)
  }

  /// The clocks' reading, taken on the caller's thread because a clock is the app's code.
  nonisolated var now: ClockReading { app.clocks.now() }
}

/// Runs the async form of a call: begins on the work queue in the turn in which the call arrives, and resumes the
/// caller on the caller's own executor.
///
/// - Parameter atHand: the result, if it is available without waiting; then no task is created.
func onWorkQueue<Value: Sendable>(
  _ operation: @escaping @WorkQueue @Sendable () async throws(AuthError) -> Value,
  atHand: (@WorkQueue @Sendable () -> Value?)? = nil
) async throws(AuthError) -> Value {
  try await WorkQueue.result(of: operation, atHand: atHand).typed()
}
