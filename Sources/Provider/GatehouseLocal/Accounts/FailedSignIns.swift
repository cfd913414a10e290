import GRDB
import GatehouseBase
import IdentityToolkit

/// The failed sign-ins of one address within the throttle's window, as a row.
///
/// Kept by address and not by account: under enumeration protection an unknown address must be throttled as a known
/// one is. An address's window begins with its first failure; when it has passed, the count starts at zero.
struct FailedSignIns: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "failedSignIns"

  var email: String
  var count: Int64
  /// When the first of them was, in seconds since 1970.
  var since: Int64

  /// The failures that count now.
  static func find(_ email: EmailAddress, _ throttle: Throttle, at now: Moment, in db: Database) throws -> FailedSignIns
  {
    let none = FailedSignIns(email: email.text, count: 0, since: now.seconds)
    let stored = try fetchOne(db, sql: "SELECT * FROM failedSignIns WHERE email = ?", arguments: [email.text])
    guard let stored, stored.isRecent(throttle, at: now) else { return none }
    return stored
  }

  /// Refuses, with the seconds left to wait, once there were as many as the throttle allows.
  func requireFew(_ throttle: Throttle, at now: Moment) throws(AuthError) {
    guard count >= throttle.attempts else { return }
    let wait = max(since + throttle.windowSeconds - now.seconds, 1)
    throw AuthError(
      server: "TOO_MANY_ATTEMPTS_TRY_LATER : try again in \(wait) s", email: email, retryAfter: .seconds(wait))
  }

  /// Counts one more, and forgets those of every address that count no more.
  mutating func add(_ throttle: Throttle, at now: Moment, in db: Database) throws {
    count += 1
    try insert(db, onConflict: .replace)
    let oldest = now.seconds - throttle.windowSeconds
    try db.execute(sql: "DELETE FROM failedSignIns WHERE since <= ?", arguments: [oldest])
  }

  static func forget(_ email: EmailAddress, in db: Database) throws {
    try db.execute(sql: "DELETE FROM failedSignIns WHERE email = ?", arguments: [email.text])
  }

  /// A row from the future was written before the clock was set back: it counts no more.
  private func isRecent(_ throttle: Throttle, at now: Moment) -> Bool {
    since <= now.seconds && since > now.seconds - throttle.windowSeconds
  }
}
