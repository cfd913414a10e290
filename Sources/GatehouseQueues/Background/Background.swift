package import GatehouseBase

/// The door to everything that may be slow or is not ours: backends, stores, transports.
package enum Background {
  /// For slow work of our own that belongs to no `Auth`.
  private static let ownShare = PoolShare(width: 4)

  /// Runs an asynchronous function off the work queue, on a share of our own pool, and returns what it made.
  ///
  /// Cancelling the caller cancels the function's task and gives its thread up; whether the function then ends early is
  /// its own affair. The function is part of the caller's operation: if it waits for that operation's own queue, it gets
  /// `.wouldDeadlock`.
  package static func run<Value: Sendable>(
    on share: PoolShare? = nil, _ body: @escaping @Sendable () async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    let work = start(on: share, body)
    let result = await withTaskCancellationHandler {
      await work.task.value
    } onCancel: {
      work.cancel()
    }
    return try result.get()
  }

  /// Begins an asynchronous function off the work queue, on a share of our own pool.
  package static func start<Value: Sendable>(
    on share: PoolShare? = nil, _ body: @escaping @Sendable () async throws(AuthError) -> Value
  ) -> ForeignWork<Value> {
    let holds = SerialTaskQueue.currentHolds
    let call = ForeignCall(on: share ?? ownShare)
    let task = Task.detached(executorPreference: call) {
      await SerialTaskQueue.withHolds(holds) { await outcome(of: body) }
    }
    return ForeignWork(task: task, call: call)
  }
}

/// A foreign function that is under way.
package struct ForeignWork<Value: Sendable>: Sendable {
  package let task: Task<Result<Value, AuthError>, Never>
  fileprivate let call: ForeignCall

  /// Cancels the function's task, and gives up the thread that it holds. Returns at once: cancelling runs the handlers
  /// of the code that waits in the task, and those may be the app's, so a thread of the pool does it.
  package func cancel() {
    call.giveUp()
    WorkerPool.shared.submit("cancel") { task.cancel() }
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
