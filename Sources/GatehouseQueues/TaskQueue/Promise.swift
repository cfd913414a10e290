import CGatehouseWaits
package import GatehouseBase

/// A result that comes later, and those who wait for it.
///
/// Resolved once; what comes second is dropped. A waiter whose task is cancelled is released at once with
/// `.cancelled`; the others, and what they wait for, go on.
@WorkQueue
package final class Promise<Value: Sendable> {
  package typealias Outcome = Result<Value, AuthError>
  private typealias Waiter = CheckedContinuation<Outcome, Never>

  private var outcome: Outcome?
  private var waiters: [Int: Waiter] = [:]
  private var nextWaiter = 0
  private var abandoned: (@WorkQueue @Sendable () -> Void)?
  /// The task queue whose turn must come before this is resolved.
  private let turn: SerialTaskQueue?

  package init(awaitingTurnOn turn: SerialTaskQueue? = nil) { self.turn = turn }

  package var isResolved: Bool { outcome != nil }

  package func resolve(_ outcome: Outcome) {
    guard self.outcome == nil else { return }
    self.outcome = outcome
    abandoned = nil
    let waiters = waiters  // out first: nobody is to meet a half-changed state
    self.waiters = [:]
    for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) { waiter.resume(returning: outcome) }
  }

  /// Waits for the result.
  ///
  /// Throws `.wouldDeadlock` at once when the calling operation holds the very turn that the result waits for.
  package func value() async throws(AuthError) -> Value {
    if let outcome { return try outcome.get() }
    try turn?.checkNotHeld()
    if let turn, gw_is_on() { turn.noteWait() }
    let id = nextWaiter
    nextWaiter += 1
    let wait = Schedule.wait { [turn] in
      "somebody waits for a \(Value.self)\(turn.map { " that comes by the queue \($0.label)" } ?? "")"
    }
    defer { wait?.end() }
    let outcome: Outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: Waiter) in
        waiters[id] = waiter
        if Task.isCancelled { release(id) }  // before there was anybody to release
      }
    } onCancel: {
      WorkQueue.async("cancel") { self.release(id) }
    }
    return try outcome.get()
  }

  /// Runs `body` when the last waiter is cancelled before the result is there.
  package func whenAbandoned(_ body: @escaping @WorkQueue @Sendable () -> Void) { abandoned = body }

  private func release(_ id: Int) {
    guard let waiter = waiters.removeValue(forKey: id) else { return }
    if waiters.isEmpty, let abandoned {
      self.abandoned = nil
      abandoned()
    }
    waiter.resume(returning: .failure(AuthError.cancelled))
  }
}

extension AuthError {
  /// The caller's task was cancelled.
  package static var cancelled: AuthError { AuthError(.cancelled, "the waiting task was cancelled") }

  /// No answer within the timeout.
  package static func deadlineExceeded(_ what: String, after seconds: Double) -> AuthError {
    AuthError(.deadlineExceeded, "\(what) took longer than its timeout of \(seconds) s; try again")
  }
}
