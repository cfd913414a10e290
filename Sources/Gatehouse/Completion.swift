import GatehouseCore
import GatehouseQueues

/// Hears how a call ended: exactly once, on the callback queue, which is the main queue unless the configuration says
/// otherwise. It is released there too.
public typealias Completion<Value: Sendable> = @Sendable (Result<Value, AuthError>) -> Void

extension AuthEngine {
  /// The completion form of a call: begins on the work queue at once, delivers on the callback queue.
  nonisolated func deliver<Value: Sendable>(
    to completion: @escaping Completion<Value>, _ name: StaticString = #function,
    _ operation: @escaping @WorkQueue @Sendable () async throws(AuthError) -> Value
  ) {
    let callback = Callback(completion, on: callbacks)
    WorkQueue.start(name) { callback(await outcome(of: operation)) }
  }

  /// What the clocks show, read on the caller's thread: a clock is the app's code.
  nonisolated var now: ClockReading { outside.clocks.now() }
}
