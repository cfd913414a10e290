import CGatehouseWaits

/// An operation that was put in a `SerialTaskQueue`: waiting, running or ended.
///
/// Releasing it changes nothing: the operation still has its turn. Usable from any thread.
public final class QueuedOperation<Value: Sendable, WorkError: Error>: Sendable {
  typealias Outcome = Result<Value, QueueFailure<WorkError>>

  private struct State: Sendable {
    var outcome: Outcome?
    /// The operation's task, once it has begun.
    var task: Task<Value, any Error>?
    var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
    var nextWaiter = 0
    /// Waiters that were cancelled before they were in `waiters`.
    var cancelled: Set<Int> = []
  }

  private let state = Lock(State())
  private let queue: SerialTaskQueue

  init(on queue: SerialTaskQueue) { self.queue = queue }

  /// The operation's result, once it is available. Any number of tasks may wait for it.
  ///
  /// A waiter whose task is cancelled gets `.cancelled` at once, and the operation continues.
  ///
  /// - Throws: `.work` with the operation's own error; `.wouldDeadlock` at once when the caller is part of an operation
  ///   of the same queue, which has to end first; `.deadline` after the operation's timeout; `.cancelled` when the
  ///   waiting task or the operation was cancelled.
  public var value: Value {
    get async throws(QueueFailure<WorkError>) { try await result.get() }
  }

  /// Cancels the operation. If its turn has not come, it never begins; if it is running, its task is cancelled. Its
  /// waiters get `.cancelled` at once. The next operation begins when this one has ended.
  public func cancel() { end(.failure(.cancelled)) }

  var isOver: Bool { state.withLock { $0.outcome != nil } }

  /// The same as `value`, without throwing.
  var result: Outcome {
    get async {
      if let outcome = state.withLock({ $0.outcome }) { return outcome }
      if queue.isHeldByCurrentOperation { return .failure(.wouldDeadlock(queue: queue.label)) }
      if gw_is_on() { queue.noteWait() }
      let wait = Schedule.wait { [queue] in "a call waits for an operation of the queue \(queue.label)" }
      defer { wait?.end() }
      let id = state.withLock { state in
        state.nextWaiter += 1
        return state.nextWaiter
      }
      return await withTaskCancellationHandler {
        await untilResumed { waiter in
          let outcome: Outcome? = state.withLock { state in
            if let outcome = state.outcome { return outcome }
            if state.cancelled.remove(id) != nil { return .failure(.cancelled) }
            state.waiters[id] = waiter
            return nil
          }
          if let outcome { waiter.resume(returning: outcome) }
        }
      } onCancel: {
        release(id)
      }
    }
  }

  private func release(_ id: Int) {
    let waiter = state.withLock { state in
      let waiter = state.waiters.removeValue(forKey: id)
      if waiter == nil, state.outcome == nil { state.cancelled.insert(id) }
      return waiter
    }
    waiter?.resume(returning: .failure(.cancelled))
  }

  /// Records that the operation has begun. If it has been cancelled already, its task is cancelled.
  func began(_ task: Task<Value, any Error>) {
    let isOver = state.withLock { state in
      state.task = task
      return state.outcome != nil
    }
    if isOver { task.cancel() }
  }

  /// Ends the operation; only the first outcome counts. If the operation has timed out or was cancelled, its task is
  /// cancelled. The waiters go on first, because cancellation handlers are the operation's own code and may take long.
  func end(_ outcome: Outcome) {
    let (waiters, task) = state.withLock { state -> ([CheckedContinuation<Outcome, Never>], Task<Value, any Error>?) in
      guard state.outcome == nil else { return ([], nil) }
      state.outcome = outcome
      defer {
        state.waiters = [:]
        state.task = nil
      }
      return (state.waiters.sorted { $0.key < $1.key }.map(\.value), state.task)
    }
    for waiter in waiters { waiter.resume(returning: outcome) }
    switch outcome {
    case .failure(.deadline), .failure(.cancelled): task?.cancel()
    default: break
    }
  }
}
