import Dispatch
package import GatehouseBase

/// The door to everything that is slow or not ours: backends, stores, clocks, random sources.
package enum Background {
  /// Runs an asynchronous function off the work queue, on Swift's own threads, and returns what it made.
  ///
  /// Cancelling the caller cancels the function's task; whether it then ends early is up to the function. The function
  /// is part of the caller's operation: if it waits for that operation's own queue, it gets `.wouldDeadlock`.
  package static func run<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    let holds = SerialTaskQueue.currentHolds
    let task = Task.detached {
      await SerialTaskQueue.withHolds(holds) { await outcome(of: body) }
    }
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      cancel(task)
    }
    return try result.get()
  }

  /// Cancels a task from a thread of the background: cancelling runs the handlers of whoever waits in it, and those may
  /// be the app's.
  static func cancel<Value: Sendable>(_ task: Task<Value, Never>) {
    DispatchQueue.global().concurrentStep("cancel") { task.cancel() }
  }
}

/// What a throwing function came to.
package func outcome<Value: Sendable>(
  of body: () async throws(AuthError) -> Value
) async -> Result<Value, AuthError> {
  do throws(AuthError) {
    return .success(try await body())
  } catch {
    return .failure(error)
  }
}
