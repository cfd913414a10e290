/// The administrators' calls of one minute that have no event of their own, and the refused credentials. They are
/// counted in memory, and their lines are written when the minute is over.
struct CallCounts: Sendable {
  /// The maximum number of lines of a minute. When there are more, the minute is written early.
  static let maximumKeys = 1000

  struct Key: Sendable, Hashable {
    let kind: AuditEvent.Kind
    let credential: AdministratorCredential?
    let call: CallName?
    /// The name of the error for which a credential was refused.
    let reason: String?
  }

  private struct Count: Sendable {
    var calls = 0
    var refused = 0
  }

  private var counts: [Key: Count] = [:]
  private var minute: Int64 = 0

  /// Counts a call.
  ///
  /// - Returns: The events of an earlier minute, which is over.
  mutating func add(_ key: Key, isRefused: Bool, at now: Moment) -> [AuditEvent] {
    let isFull = counts.count >= Self.maximumKeys && counts[key] == nil
    let ended = isFull ? take() : takeEnded(at: now)
    minute = now.seconds / 60
    counts[key, default: Count()].calls += 1
    if isRefused { counts[key]?.refused += 1 }
    return ended
  }

  /// Returns the events of a minute that is over. A clock that was set back ends a minute as well.
  mutating func takeEnded(at now: Moment) -> [AuditEvent] {
    counts.isEmpty || minute == now.seconds / 60 ? [] : take()
  }

  /// Returns the events of what was counted, and forgets it.
  mutating func take() -> [AuditEvent] {
    guard !counts.isEmpty else { return [] }
    let begin = Moment(seconds: minute * 60)
    let events = counts.map { key, count in
      var event = AuditEvent(key.kind, at: begin)
      event["call"] = key.call?.text
      event["reason"] = key.reason
      event.show(key.credential)
      event.count = count.calls
      if count.refused > 0 { event.refused = count.refused }
      return event
    }
    counts = [:]
    // In a fixed order, because that of a dictionary differs with each run.
    return events.map { ($0, $0.line) }.sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
  }
}
