import GRDB
import GatehouseBase

/// The work that follows calls: writing the audit log, and removing expired data.
struct Upkeep: ProviderPart {
  let store: ProviderStore
  let sessions: Sessions
  let keys: KeyAdministration

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
      try? keys.prune(at: now)
      try? sessions.refreshes.write(to: database)
    }
    store.chores.end(work, isLeft: isLeft, at: now)
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
      try db.execute(sql: "INSERT OR REPLACE INTO upkeep (task, at) VALUES ('prune', ?)", arguments: [now.seconds])
      return most >= limit
    }
  }
}
