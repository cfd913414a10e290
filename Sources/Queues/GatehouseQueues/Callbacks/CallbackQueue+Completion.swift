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
      callback.end { await $0(result) }
    }
  }

  /// The completion form of a call that must not run on the work queue: begins there, in call order, and is carried out
  /// in the background.
  package func deliverFromBackground<Value: Sendable, Failure: Error>(
    to completion: @escaping @isolated(any) @Sendable (Result<Value, Failure>) -> Void,
    _ name: StaticString = #function, _ operation: @escaping @Sendable () async throws(Failure) -> Value
  ) {
    // Boxed: the operation captures the caller's objects, which must not be released on the work queue.
    let box = TakeOnce(operation)
    deliver(to: completion, name) { () async throws(Failure) -> Value in
      guard let operation = box.take() else { fatalError("an operation began twice") }
      return try await Background.run(operation)
    }
  }
}
