import GatehouseQueues

/// Determines when a provider's chores are due: writing the audit log, and removing expired data. They run after calls,
/// in the background, one at a time.
final class Chores: Sendable {
  private struct State: Sendable {
    var calls = 0
    /// The time of the last pruning, in seconds since 1970.
    var prunedAt: Int64
    var isPruneDue = false
    var isAuditDue = false
    var isUnderWay = false
  }

  /// The chores to run.
  struct Work: Sendable {
    let prunes: Bool
  }

  private let state: Lock<State>
  /// Pruning is due after this number of calls, and after this number of seconds.
  private static let calls = 256
  private static let seconds: Int64 = 3600

  /// - Parameter prunedAt: the time at which a process last pruned, in seconds since 1970.
  init(prunedAt: Int64) { state = Lock(State(prunedAt: prunedAt)) }

  /// Records the end of a call.
  func note(auditIsDue: Bool, at now: Moment) {
    state.withLock { state in
      state.calls += 1
      state.isAuditDue = state.isAuditDue || auditIsDue
      // Also due if the clock was set back.
      if state.calls >= Self.calls || abs(now.seconds - state.prunedAt) >= Self.seconds { state.isPruneDue = true }
    }
  }

  /// Returns the chores that are due, if any are and none are running; `end` must follow.
  func begin() -> Work? {
    state.withLock { state in
      guard !state.isUnderWay, state.isAuditDue || state.isPruneDue else { return nil }
      defer { (state.isUnderWay, state.isAuditDue, state.isPruneDue) = (true, false, false) }
      return Work(prunes: state.isPruneDue)
    }
  }

  /// Returns the writing of the audit log, if it is due and no chores are running; `end` must follow.
  func beginAudit() -> Work? {
    state.withLock { state in
      guard !state.isUnderWay, state.isAuditDue else { return nil }
      (state.isUnderWay, state.isAuditDue) = (true, false)
      return Work(prunes: false)
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
