import GRDB
import GatehouseBase
import GatehouseQueues

/// When users got their last ID tokens by a refresh, until the chores write that to the database. So a refresh writes
/// nothing, and a look-up shows the newest time. Another process sees the time once it is written.
final class RecentRefreshes: Sendable {
  /// In milliseconds since 1970, by account.
  private let times = Lock<[String: Int64]>([:])
  /// The maximum number of accounts. The times of others are exact to the hour.
  private static let most = 10_000

  func note(_ uid: String, at now: Moment) {
    times.withLock { times in
      if times.count < Self.most || times[uid] != nil { times[uid] = max(now.milliseconds, times[uid] ?? 0) }
    }
  }

  /// Returns the time of the last refresh, stored or not.
  func last(of account: StoredAccount) -> Int64? {
    let noted = times.withLock { $0[account.uid] }
    return [noted, account.lastRefreshAt].compactMap(\.self).max()
  }

  /// Writes the times that were noted. They stay noted if that fails.
  func write(to database: AccountDatabase) throws(AuthError) {
    let noted = times.withLock { $0 }
    guard !noted.isEmpty else { return }
    try database.write { db in
      for (uid, time) in noted {
        try db.change(
          "UPDATE account SET lastRefreshAt = ?1 WHERE uid = ?2 AND ifnull(lastRefreshAt, 0) < ?1", [time, uid])
      }
    }
    times.withLock { times in
      for (uid, time) in noted where times[uid] == time { times[uid] = nil }
    }
  }
}
