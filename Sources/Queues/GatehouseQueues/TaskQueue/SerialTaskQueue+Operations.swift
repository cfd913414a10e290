import CGatehouseWaits
import GatehouseBase

// Operations of any isolation, on any target.
extension SerialTaskQueue {
  /// Puts an operation in the queue, and returns at once.
  ///
  /// An operation that is isolated to an actor begins on that actor. Any other begins on the target queue, and
  /// continues on Swift's own threads after its first suspension. The next operation begins when this one has ended.
  ///
  /// - Parameters:
  ///   - name: the operation's name in errors and traces.
  ///   - timeout: the maximum duration of the operation from its beginning, on the queue's clocks; `nil`: no limit.
  ///     After that, its waiters get `.deadline`, its task is cancelled, a late result is dropped, and the next
  ///     operation begins.
  ///   - operation: the operation, which begins in its turn and keeps the queue until it has ended.
  /// - Returns: the operation, whose result can be awaited and which can be cancelled.
  @discardableResult
  public func enqueue<Value: Sendable, WorkError: Error>(
    _ name: StaticString = "operation", timeout: Duration? = nil,
    _ operation: @escaping @Sendable @isolated(any) () async throws(WorkError) -> Value
  ) -> QueuedOperation<Value, WorkError> {
    let queued = QueuedOperation<Value, WorkError>(on: self)
    let outer = QueueHold.current.filter(\.isInForce)
    let scope = gw_is_on() ? WaitMonitor.scopeToCarry : 0
    inTurn(name) { [self] turn in
      // Cancelled before its turn: it does not begin.
      guard !queued.isOver else { return turn.end() }
      let hold = QueueHold(self)
      let alarm = timeout.map { timeout in
        let time = Timekeeper { [clocks] in clocks }
        return time.at({ Alarm(boot: $0.boot + timeout.inSeconds) }, on: executor) {
          hold.end()
          queued.end(.failure(.deadline(operation: "\(name)", timeout: timeout)))
          turn.end()
        }
      }
      // The task's closure is the caller's own, so it begins at once if it is isolated to the target.
      let task = QueueHold.$current.withValue(outer + [hold]) {
        WaitMonitor.$scope.withValue(scope) { Task.immediate(operation: operation) }
      }
      queued.began(task)
      Task.immediateDetached {
        let result = await task.result
        hold.end()
        // `as!`: the task runs an operation that throws a `WorkError` and nothing else.
        queued.end(result.mapError { .work($0 as! WorkError) })
        if let alarm { executor.async("cancel an alarm") { alarm.cancel() } }
        turn.end()
      }
    }
    return queued
  }

  /// Puts an operation in the queue, and waits for its result.
  ///
  /// Cancelling the caller's task cancels the operation and throws `.cancelled` at once. An operation whose turn has
  /// not come does not begin. The next operation begins when this one has ended. See `enqueue` for where the operation
  /// runs.
  ///
  /// - Parameters:
  ///   - name: the operation's name in errors and traces.
  ///   - timeout: the maximum duration of the operation from its beginning, on the queue's clocks; `nil`: no limit.
  ///   - operation: the operation, which begins in its turn and keeps the queue until it has ended.
  /// - Throws: `.work` with the operation's own error; `.wouldDeadlock` at once when the caller is part of an operation
  ///   of this queue, and then nothing is put there; `.deadline` after the timeout; `.cancelled`.
  public func run<Value: Sendable, WorkError: Error>(
    _ name: StaticString = "operation", timeout: Duration? = nil,
    _ operation: @escaping @Sendable @isolated(any) () async throws(WorkError) -> Value
  ) async throws(QueueFailure<WorkError>) -> Value {
    if isHeldByCurrentOperation { throw .wouldDeadlock(queue: label) }
    let queued = enqueue(name, timeout: timeout, operation)
    let result = await withTaskCancellationHandler {
      await queued.result
    } onCancel: {
      queued.cancel()
    }
    return try result.get()
  }
}
