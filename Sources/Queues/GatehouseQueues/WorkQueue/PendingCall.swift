/// An asynchronous call, shared by its caller's task and the operation's task on the work queue.
///
/// Not generic: looking up generic types at run time took a fifth of a call's processor time. A failure is boxed.
final class PendingCall: Sendable {
  typealias Outcome = Result<any Sendable, any Error>

  private struct State: Sendable {
    var isCancelled: Bool
    /// The operation's task, once it has begun.
    var task: Task<Void, Never>?
    var outcome: Outcome?
    var caller: CheckedContinuation<Outcome, Never>?
  }

  private let state: Lock<State>

  init(isCancelled: Bool) { state = Lock(State(isCancelled: isCancelled)) }

  // MARK: The caller's side

  /// Waits for the operation's result, cancelled or not.
  func result() async -> Outcome {
    await untilResumed { caller in
      let outcome = state.withLock { state in
        if state.outcome == nil { state.caller = caller }
        return state.outcome
      }
      if let outcome { caller.resume(returning: outcome) }
    }
  }

  /// Cancels the operation's task. Its handlers are the SDK's own: foreign code in the operation runs in
  /// `Background.run`.
  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }

  // MARK: The operation's side, on the work queue

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func adopt(_ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// Ends the call. The caller is resumed when the work queue is free: resuming waits while another thread runs the
  /// app's cancellation handlers for the caller's task, and such a handler may wait for the work queue.
  func end(_ outcome: Outcome) {
    let caller = state.withLock { state in
      state.outcome = outcome
      return state.caller.take()
    }
    guard let caller else { return }
    WorkQueue.executor.whenFree("resume") { caller.resume(returning: outcome) }
  }
}
