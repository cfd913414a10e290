import GatehouseQueues

/// When a provider's chores are due: writing the audit log, and removing what has ended. They follow calls, in the
/// background, one at a time.
final class Chores: Sendable {
  private struct State: Sendable {
    var calls = 0
    /// Seconds since 1970.
    var prunedAt: Int64
    var isPruneDue = false
    var isAuditDue = false
    var isUnderWay = false
  }

  /// What is to be done.
  struct Work: Sendable {
    let prunes: Bool
  }

  private let state: Lock<State>
  /// Pruning is due after so many calls, and after so many seconds.
  private static let calls = 256
  private static let seconds: Int64 = 3600

  /// - Parameter prunedAt: when a process has pruned last, in seconds since 1970.
  init(prunedAt: Int64) { state = Lock(State(prunedAt: prunedAt)) }

  /// A call has ended.
  func note(auditIsDue: Bool, at now: Moment) {
    state.withLock { state in
      state.calls += 1
      state.isAuditDue = state.isAuditDue || auditIsDue
      // A clock that was set back makes it due as well.
      if state.calls >= Self.calls || abs(now.seconds - state.prunedAt) >= Self.seconds { state.isPruneDue = true }
    }
  }

  /// What is due, if anything is and nothing is under way: then `end` must follow.
  func begin() -> Work? {
    state.withLock { state in
      guard !state.isUnderWay, state.isAuditDue || state.isPruneDue else { return nil }
      defer { (state.isUnderWay, state.isAuditDue, state.isPruneDue) = (true, false, false) }
      return Work(prunes: state.isPruneDue)
    }
  }

  /// - Parameter isLeft: whether there is more to prune.
  func end(_ work: Work, isLeft: Bool, at now: Moment) {
    state.withLock { state in
      state.isUnderWay = false
      guard work.prunes else { return }
      state.calls = 0
      state.prunedAt = now.seconds
      if isLeft { state.isPruneDue = true }
    }
  }
}
