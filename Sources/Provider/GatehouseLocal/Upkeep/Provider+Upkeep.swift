import GRDB
import GatehouseBase
import IdentityToolkit

extension Provider {
  /// Notes what a call has come to.
  func note<C: Call>(_ call: C, _ outcome: Result<C.Response, AuthError>) {
    guard let now = try? now() else { return }
    var events = (call as? any AuditedCall<C.Response>)?.events(outcome, at: now) ?? []
    // An address alone names no account where there are tenants.
    if let tenantID = (call as? any TenantCall)?.tenantId, !tenantID.isEmpty {
      for index in events.indices { events[index]["tenant"] = tenantID.printable() }
    }
    chores.note(auditIsDue: audit.note(events), at: now)
  }

  /// Does what is due, in short steps: other writers come in between.
  ///
  /// - Returns: what the app's log is to be told.
  func doChores(_ work: Chores.Work) -> String? {
    guard let now = try? now() else { return nil }
    let warning = audit.flush(at: now)
    var isLeft = false
    if work.prunes {
      // What fails now, on a full disk for example, is done later.
      for _ in 0..<Self.mostSteps {
        isLeft = (try? prune(at: now)) ?? false
        guard isLeft else { break }
      }
      try? pruneKeys(at: now)
    }
    chores.end(work, isLeft: isLeft, at: now)
    return warning
  }

  private static let mostSteps = 8

  /// Removes what has ended, and no more than `limit` rows of each table.
  ///
  /// - Returns: whether more may be left.
  func prune(at now: Moment, limit: Int = 500) throws(AuthError) -> Bool {
    try database.write { db in
      var most = 0
      for step in Pruning.steps(at: now) {
        try db.execute(sql: step.sql, arguments: step.arguments + [limit])
        most = max(most, db.changesCount)
      }
      try db.execute(
        sql: "INSERT OR REPLACE INTO upkeep (task, at) VALUES ('prune', ?)", arguments: [now.seconds])
      return most >= limit
    }
  }
}
