import GatehouseCore
import GatehouseQueues

/// Called with the outcome of a call: exactly once, on every path.
///
/// A closure that is isolated to an actor, the main actor mostly, is called there. Any other is called on the callback
/// queue, which is the main queue unless the configuration names another. The closure is released in the same place.
public typealias Completion<Value: Sendable> = @isolated(any) @Sendable (Result<Value, AuthError>) -> Void

extension AuthEngine {
  /// The completion form of a call: begins on the work queue at once, and delivers in the completion's own place.
  nonisolated func deliver<Value: Sendable>(
    to completion: @escaping Completion<Value>, _ name: StaticString = #function,
    _ operation: @escaping @WorkQueue @Sendable () async throws(AuthError) -> Value
  ) {
    callbacks.deliver(to: completion, name, operation)
  }

  /// What the clocks show, read on the caller's thread: a clock is the app's code.
  nonisolated var now: ClockReading { app.clocks.now() }
}

/// The async form of a call: begins on the work queue in the turn in which the call arrives, and resumes its caller on
/// the caller's own executor.
///
/// - Parameter atHand: the result, if the call need not wait for it; then no task is made.
func onWorkQueue<Value: Sendable>(
  _ operation: @escaping @WorkQueue @Sendable () async throws(AuthError) -> Value,
  atHand: (@WorkQueue @Sendable () -> Value?)? = nil
) async throws(AuthError) -> Value {
  try await WorkQueue.result(of: operation, atHand: atHand).get()
}
