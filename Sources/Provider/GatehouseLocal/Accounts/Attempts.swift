import GRDB
import GatehouseBase
import IdentityToolkit

/// The attempts of one kind for one subject within a throttle's window, as a row.
///
/// The subject is an address and not an account: under enumeration protection an unknown address must be throttled as a
/// known one is. A subject's window begins with its first attempt; when it has passed, the count starts at zero.
struct Attempts: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "attempt"

  enum Kind: String, Codable, Sendable {
    /// Sign-ins with a wrong password.
    case signIn
    /// Messages that were asked for.
    case message
    /// Second factors that were wrong.
    case secondFactor
    /// Sign-ins with a wrong password from a device that the account knows.
    case device
    /// Sign-ins with a wrong password from a network address, to whatever account.
    case address
  }

  var kind: Kind
  /// An e-mail address, with the tenant that it signs in to; of second factors, an account; of devices, its hash; a
  /// network address.
  var subject: String
  var count: Int64
  /// When the first of them was, in seconds since 1970.
  var since: Int64

  /// The sign-ins with an address. No address has a space.
  static func subject(_ email: EmailAddress, of tenant: String) -> String {
    tenant.isEmpty ? email.text : "\(email.text) \(tenant)"
  }

  /// The attempts that count now.
  static func find(
    _ kind: Kind, _ subject: String, _ throttle: Throttle, at now: Moment, in db: Database
  ) throws -> Attempts {
    let none = Attempts(kind: kind, subject: subject, count: 0, since: now.seconds)
    let stored = try first("SELECT * FROM attempt WHERE kind = ? AND subject = ?", [kind.rawValue, subject], in: db)
    guard let stored, stored.isRecent(throttle, at: now) else { return none }
    return stored
  }

  /// Refuses, with the seconds left to wait, once there were as many as the throttle allows.
  ///
  /// - Parameter email: the account's address, where the subject is not one.
  func requireFew(_ throttle: Throttle, at now: Moment, email: String? = nil) throws(AuthError) {
    guard count >= throttle.attempts else { return }
    let wait = max(since + throttle.windowSeconds - now.seconds, 1)
    throw AuthError(
      server: "TOO_MANY_ATTEMPTS_TRY_LATER : try again in \(wait) s",
      email: [.signIn, .message].contains(kind) ? String(subject.prefix { $0 != " " }) : email,
      retryAfter: .seconds(wait))
  }

  /// Counts one more, and forgets some of those that count no more.
  mutating func add(_ throttle: Throttle, at now: Moment, in db: Database) throws {
    count += 1
    try insert(db, onConflict: .replace)
    // A few each time, so that no call pays for all that went before it.
    try db.change(
      """
      DELETE FROM attempt WHERE kind = ? AND subject IN
        (SELECT subject FROM attempt WHERE kind = ? AND since <= ? LIMIT 16)
      """, [kind.rawValue, kind.rawValue, now.seconds - throttle.windowSeconds])
  }

  /// Forgets the failed sign-ins of an account.
  static func forgetSignIns(of email: EmailAddress, of tenant: String, in db: Database) throws {
    try forget(.signIn, subject(email, of: tenant), in: db)
  }

  static func forget(_ kind: Kind, _ subject: String, in db: Database) throws {
    try db.change("DELETE FROM attempt WHERE kind = ? AND subject = ?", [kind.rawValue, subject])
  }

  /// A row from the future was written before the clock was set back: it counts no more.
  private func isRecent(_ throttle: Throttle, at now: Moment) -> Bool {
    since <= now.seconds && since > now.seconds - throttle.windowSeconds
  }
}
