import GRDB
import GatehouseBase
import GatehouseQueues

/// The times of the users' last refreshes, until the chores write them to the database. So most refreshes write nothing
/// themselves, and a look-up shows the newest time. Another process sees a time once it is written.
final class RecentRefreshes: Sendable {
  /// An account: a later one of the same identifier was created at another time.
  private struct Key: Hashable {
    let uid: ExactText
    let createdAt: Int64

    init(_ account: StoredAccount) { (uid, createdAt) = (ExactText(account.uid), account.createdAt) }
  }

  /// The times by account, in milliseconds since 1970.
  private let times = Lock<[Key: Int64]>([:])
  /// The maximum number of accounts. The times of others are exact to the hour.
  private static let most = 10_000

  func note(_ account: StoredAccount, at now: Moment) {
    let key = Key(account)
    times.withLock { times in
      if times.count < Self.most || times[key] != nil { times[key] = max(now.milliseconds, times[key] ?? 0) }
    }
  }

  /// Returns the time of the last refresh, stored or not.
  func last(of account: StoredAccount) -> Int64? {
    let noted = times.withLock { $0[Key(account)] }
    return [noted, account.lastRefreshAt].compactMap(\.self).max()
  }

  /// Writes the times that were noted. They stay noted if that fails.
  func write(to database: AccountDatabase) throws(AuthError) {
    let noted = times.withLock { $0 }
    guard !noted.isEmpty else { return }
    try database.write { db in
      for (key, time) in noted {
        try db.change(
          """
          UPDATE account SET lastRefreshAt = ?1
          WHERE uid = ?2 AND createdAt = ?3 AND ifnull(lastRefreshAt, 0) < ?1
          """, [time, key.uid.text, key.createdAt])
      }
    }
    times.withLock { times in
      for (key, time) in noted where times[key] == time { times[key] = nil }
    }
  }
}
