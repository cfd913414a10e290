import GatehouseBase

/// Limits the events of one account in the security log: a user can cause any number of them, such as by making recovery
/// codes, and must not fill the files with them. Each kind has its own limit, so that many events of one kind hide no
/// event of another.
struct SecurityShares: Sendable {
  /// The number of events of one kind and account that are written to the security log in an hour. Further ones are
  /// written to the log of sign-ins.
  static let most = 50
  /// The number of counts to remember. When there are more, counting begins anew.
  private static let mostCounts = 10_000

  private var counts: [ExactText: Int] = [:]
  private var hour: Int64 = 0

  /// Counts an event, and returns its series.
  mutating func series(of event: AuditEvent, at now: Moment) -> AuditEvent.Series {
    guard event.series == .security, let account = event["uid"] ?? event["email"] else { return event.series }
    if now.seconds / 3600 != hour || counts.count >= Self.mostCounts { (counts, hour) = ([:], now.seconds / 3600) }
    let subject = ExactText("\(event.kind) \(account)")
    let count = counts[subject, default: 0] + 1
    counts[subject] = count
    return count <= Self.most ? .security : .signIns
  }
}
