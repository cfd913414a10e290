package import Dispatch

extension CallbackQueue {
  /// The completion form of a call: the operation begins on the work queue, in call order, and its result is delivered
  /// exactly once, in the completion's own place.
  package func deliver<Value: Sendable, Failure: Error>(
    to completion: @escaping @isolated(any) @Sendable (Result<Value, Failure>) -> Void,
    _ name: StaticString = #function,
    _ operation: @escaping @WorkQueue @Sendable () async throws(Failure) -> Value
  ) {
    let callback = Callback(completion, isolatedTo: completion.isolation, on: self)
    WorkQueue.start(name, holding: QueueHold.current) {
      let result = await outcome(of: operation)
      callback.end { await $1(result) }
    }
  }
}

/// The completion forms of a type whose calls are carried out off the work queue.
///
/// A call begins on the work queue, in call order. Then one background thread at a time carries the calls out. They may
/// end in another order. The result is delivered exactly once, in the completion's own place.
package final class Completions: Sendable {
  private let queue: CallbackQueue
  private let share = PoolShare(width: 1)

  /// - Parameter target: the queue on which completions without an isolation of their own are called.
  package init(on target: DispatchQueue) { queue = CallbackQueue(target) }

  /// The completion form of `operation`.
  package func deliver<Value: Sendable, Failure: Error>(
    to completion: @escaping @isolated(any) @Sendable (Result<Value, Failure>) -> Void,
    _ name: StaticString = #function, _ operation: @escaping @Sendable () async throws(Failure) -> Value
  ) {
    // Boxed: the operation captures the caller's objects, which must not be released on the work queue.
    let box = TakeOnce(operation)
    queue.deliver(to: completion, name) { [share] () async throws(Failure) -> Value in
      try await Background.run(on: share) { () async throws(Failure) -> Value in
        guard let operation = box.take() else { preconditionFailure("a call is carried out once") }
        return try await operation()
      }
    }
  }
}
