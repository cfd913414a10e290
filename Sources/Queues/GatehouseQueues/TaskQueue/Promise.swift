import CGatehouseWaits

/// A result that is available later, and the callers that wait for it.
///
/// It is resolved once; a second result is dropped. A waiter whose task is cancelled is released at once with
/// `.cancelled`; the others, and what they wait for, go on.
@WorkQueue
package final class Promise<Value: Sendable, Failure: ExpressibleByQueueFailure> {
  package typealias Outcome = Result<Value, Failure>
  private typealias Waiter = CheckedContinuation<Outcome, Never>

  private var outcome: Outcome?
  /// In order of arrival; `nil` after a waiter was released.
  private var waiters: [Waiter?] = []
  private var waiting = 0
  /// The maximum number of waiters that one block resumes, so that other work gets its turn in between.
  private static var portion: Int { 128 }
  private var abandoned: (@WorkQueue @Sendable () -> Void)?
  /// The task queue whose turn must come before the promise is resolved.
  private let turn: SerialTaskQueue?

  package init(awaitingTurnOn turn: SerialTaskQueue? = nil) { self.turn = turn }

  package var isResolved: Bool { outcome != nil }

  package func resolve(_ outcome: Outcome) {
    guard self.outcome == nil else { return }
    self.outcome = outcome
    abandoned = nil
    let waiters = waiters[...]  // taken out first: code that runs meanwhile must not see a half-changed state
    self.waiters = []
    waiting = 0
    Self.resume(waiters, with: outcome)
  }

  /// Resumes waiters in order, one portion now and the others in later turns.
  private static func resume(_ waiters: ArraySlice<Waiter?>, with outcome: Outcome) {
    for waiter in waiters.prefix(portion) { waiter?.resume(returning: outcome) }
    let others = waiters.dropFirst(portion)
    if !others.isEmpty { WorkQueue.async("resume") { resume(others, with: outcome) } }
  }

  /// Waits for the result.
  ///
  /// Throws `.wouldDeadlock` at once if the calling operation holds the very turn that the result waits for.
  package func value() async throws(Failure) -> Value { try await result().get() }

  /// Waits for the result without throwing, for callers on another executor (decision 13).
  package func result() async -> Outcome {
    if let outcome { return outcome }
    if let turn {
      if turn.isHeldByCurrentOperation { return .failure(.wouldDeadlock(queue: turn.label)) }
      if gw_is_on() { turn.noteWait() }
    }
    let ticket = Ticket()
    let wait = Schedule.wait { [turn] in
      "a call waits for a \(Value.self)\(turn.map { " that comes by the queue \($0.label)" } ?? "")"
    }
    defer { wait?.end() }
    return await withTaskCancellationHandler {
      await untilResumed { (waiter: Waiter) in
        // Look again: under a task executor preference each `await` leaves the work queue for a moment.
        if let outcome { return waiter.resume(returning: outcome) }
        ticket.index = waiters.count
        waiters.append(waiter)
        waiting += 1
        if Task.isCancelled { release(ticket) }  // the handler may have run before the waiter was added
      }
    } onCancel: {
      WorkQueue.async("cancel") { self.release(ticket) }
    }
  }

  /// Waits for the result, also if the waiting task is cancelled.
  package func resultDespiteCancellation() async -> Outcome {
    if let outcome { return outcome }
    let wait = Schedule.wait { "an operation waits for a \(Value.self) that it needs, although it is cancelled" }
    defer { wait?.end() }
    return await untilResumed { (waiter: Waiter) in
      if let outcome { return waiter.resume(returning: outcome) }
      waiters.append(waiter)
      waiting += 1
    }
  }

  /// Runs `body` if the last waiter is cancelled before the result is available.
  package func whenAbandoned(_ body: @escaping @WorkQueue @Sendable () -> Void) { abandoned = body }

  private func release(_ ticket: Ticket) {
    guard let index = ticket.index, waiters.indices.contains(index), let waiter = waiters[index] else { return }
    waiters[index] = nil
    waiting -= 1
    if waiting == 0, let abandoned {
      self.abandoned = nil
      abandoned()
    }
    waiter.resume(returning: .failure(.cancelled))
  }
}

/// The index of a waiter in its promise, once it has one.
@WorkQueue
private final class Ticket {
  var index: Int?
}
