/// Runs all code that may be slow or is not the SDK's own: backends, stores, transports.
package enum Background {
  /// The share for the SDK's own slow work that belongs to no call of foreign code. Its threads are no others' either:
  /// this work never blocks, so that it waits for none that does.
  private static let ownShare = PoolShare(
    width: 4, maximumStuck: 0, pool: WorkerPool(name: "gatehouse.own", width: 4))

  /// The share of the call of foreign code that the current task is a part of.
  @TaskLocal fileprivate static var share: PoolShare?

  /// Runs an asynchronous function off the work queue, on a share of the SDK's thread pool, and returns its result.
  ///
  /// Cancelling the caller cancels the function's task and gives up its thread. The function decides whether it ends
  /// early. It is part of the caller's operation: if it waits for that operation's own queue, it gets `.wouldDeadlock`.
  ///
  /// - Parameters:
  ///   - share: by default, the share of the call of foreign code that the caller is a part of. So what one `Auth`'s
  ///     backend begins takes the threads of that `Auth`. Without such a call, the share of the SDK's own work.
  ///   - party: the party that wants the result. Parties that wait for a thread of the share take turns.
  package static func run<Value: Sendable, Failure: Error>(
    on share: PoolShare? = nil, for party: String = "", _ body: @escaping @Sendable () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let work = ForeignWork(on: share ?? Self.share ?? ownShare, for: party)
    let result: Result<Value, Failure> = await withTaskCancellationHandler {
      await untilResumed { continuation in
        work.begin { continuation.resume(returning: await outcome(of: body)) }
      }
    } onCancel: {
      work.cancel()
    }
    return try result.get()
  }

  /// Runs an asynchronous function to its end, even if the caller is cancelled, and returns its result. The share is
  /// the one that `run` takes by default.
  ///
  /// Cancelling the caller gives up the thread that the function blocks, and another one takes its place.
  package static func runToTheEnd<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
    let work = ForeignWork(on: share ?? ownShare)
    return await withTaskCancellationHandler {
      await untilResumed { caller in
        work.begin { caller.resume(returning: await body()) }
      }
    } onCancel: {
      work.giveUp()
    }
  }

  /// Begins an asynchronous function off the work queue, on a share of the SDK's thread pool: by default, the one that
  /// `run` takes.
  package static func start(
    on share: PoolShare? = nil, _ body: @escaping @Sendable () async -> Void
  ) -> ForeignWork {
    let work = ForeignWork(on: share ?? Self.share ?? ownShare)
    work.begin(body)
    return work
  }
}

/// A foreign function that is running, or about to begin.
package final class ForeignWork: Sendable {
  private struct State: Sendable {
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  private let call: ForeignCall
  private let share: PoolShare
  private let state = Lock(State())

  fileprivate init(on share: PoolShare, for party: String = "") {
    self.share = share
    call = ForeignCall(on: share, for: party)
  }

  fileprivate func begin(_ body: @escaping @Sendable () async -> Void) {
    let holds = QueueHold.current
    let task = Task.detached(executorPreference: call) { [share] in
      await Background.$share.withValue(share) { await QueueHold.with(holds, body) }
    }
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { cancel() }
  }

  /// Gives up the thread that the function holds. The function continues.
  fileprivate func giveUp() { call.giveUp() }

  /// Cancels the function's task, and gives up the thread that it holds. Returns at once: cancelling runs the handlers
  /// of the code that waits in the task, and those may be the app's, so a thread of the pool does it.
  package func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    guard let task else { return }
    call.giveUp()
    WorkerPool.shared.async("cancel") { task.cancel() }
  }
}

/// Returns the result of a throwing function.
package func outcome<Value: Sendable, Failure: Error>(
  of body: () async throws(Failure) -> Value
) async -> Result<Value, Failure> {
  do throws(Failure) {
    return .success(try await body())
  } catch {
    return .failure(error)
  }
}
