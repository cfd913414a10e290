package import GatehouseBase

/// The door to everything that is slow or not ours: backends, stores, clocks, random sources.
package enum Background {
  /// Runs an asynchronous function off the work queue, on Swift's own threads, and returns what it made.
  ///
  /// Cancelling the caller cancels the function's task; whether it then ends early is up to the function.
  package static func run<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    let task = Task.detached { await outcome(of: body) }
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    return try result.get()
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
