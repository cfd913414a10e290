import GRDB
import GatehouseBase
import IdentityToolkit

extension Provider {
  /// Records the outcome of a call.
  func note<C: Call>(_ call: C, _ outcome: Result<C.Response, AuthError>) {
    guard let now = try? now() else { return }
    var events = (call as? any AuditedCall).map { Self.events($0, outcome, at: now) } ?? []
    // If there are tenants, an address alone does not identify an account.
    if let tenantID = (call as? any TenantCall)?.tenantId, !tenantID.isEmpty {
      for index in events.indices { events[index]["tenant"] = tenantID.printable() }
    }
    chores.note(auditIsDue: audit.note(events, at: now), at: now)
  }

  /// Records what a call has done to an account beside its outcome, if the transaction is committed.
  func note(_ kind: AuditEvent.Kind, of account: StoredAccount, whenCommitted db: Database, at now: Moment) {
    let event = AuditEvent(kind, of: account, byAdministrator: false, at: now)
    db.afterNextTransaction { [self] _ in chores.note(auditIsDue: audit.note([event], at: now), at: now) }
  }

  private static func events<C: AuditedCall, Response>(
    _ call: C, _ outcome: Result<Response, AuthError>, at now: Moment
  ) -> [AuditEvent] {
    (outcome as? Result<C.Response, AuthError>).map { call.events($0, at: now) } ?? []
  }

  /// Runs the chores that are due, in short steps, so that other writers can run in between.
  ///
  /// - Returns: A warning for the app's log, if there is one.
  func doChores(_ work: Chores.Work) -> String? {
    guard let now = try? now() else { return nil }
    let warning = audit.flush(at: now)
    var isLeft = false
    if work.prunes {
      // A step that fails now, for example on a full disk, is repeated later.
      for _ in 0..<Self.mostSteps {
        isLeft = (try? prune(at: now)) ?? false
        guard isLeft else { break }
      }
      try? pruneKeys(at: now)
      try? refreshes.write(to: database)
    }
    chores.end(work, isLeft: isLeft, at: now)
    return warning
  }

  private static let mostSteps = 8

  /// Removes expired data, at most `limit` rows of each table.
  ///
  /// - Returns: Whether more may be left.
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
