import GRDB
import GatehouseBase
import IdentityToolkit

/// A row with the attempts of one kind for one subject within a throttle's window.
///
/// The subject is an address instead of an account, because under enumeration protection an unknown address must be
/// throttled like a known one. A subject's window begins with its first attempt; after the window, the count restarts
/// at zero.
struct Attempts: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "attempt"

  enum Kind: String, Codable, Sendable {
    /// Sign-ins with a wrong password.
    case signIn
    /// Messages that were requested.
    case message
    /// Messages requested by an account's user, or on a device or network that the account knows.
    case ownMessage
    /// Messages to one recipient that were requested from one network, the largest of `Caller.networks`.
    case addressMessage
    /// Sign-ins to an account with a wrong password from one network, the largest of `Caller.networks`.
    case signInShare
    /// Wrong second factors.
    case secondFactor
    /// Wrong second factors of an account from one network, likewise.
    case factorShare
    /// Wrong second factors from a device or network that has shown one before.
    case factorDevice
    /// Sign-ins with a wrong password from a known device or network of the account.
    case device
    /// Sign-ins with a wrong password from a network, to any account.
    case address
    /// Accounts that were created from a network, and answers to it that tell whether an address has an account.
    case signUp
    /// Credentials of identity providers from a network that were refused.
    case identity
    /// Messages that were requested from a network, to any recipient.
    case networkMessage
    /// Texts to all phones together, and the parts of their limit.
    case text

    /// The kind of the shares that networks have of a subject's limit; `nil` for none.
    var share: Kind? {
      switch self {
      case .signIn: .signInShare
      case .secondFactor: .factorShare
      default: nil
      }
    }
  }

  var kind: Kind
  /// The subject. For sign-ins, an email address with its tenant; for second factors, an account; for devices, the hash
  /// of the cookie or of the network; for what is counted for a network, that network; for a network's share, the
  /// network and the subject that it is a share of. For messages, the recipient (an email address or a phone number)
  /// with its tenant, an account, the hash of a device, or a network with the recipient.
  var subject: String
  var count: Int64
  /// The time of the first attempt, in seconds since 1970.
  var since: Int64

  /// The subject of sign-ins with an address. An address never contains a space.
  static func subject(_ email: EmailAddress, of tenant: String) -> String {
    tenant.isEmpty ? email.text : "\(email.text) \(tenant)"
  }

  /// The subject of a network's share of another subject's limit.
  static func subject(_ subject: String, from network: String) -> String { "\(subject)\n\(network)" }

  /// Returns the attempts that count now.
  static func find(
    _ kind: Kind, _ subject: String, _ throttle: Throttle, at now: Moment, in db: Database
  ) throws -> Attempts {
    let none = Attempts(kind: kind, subject: subject, count: 0, since: now.seconds)
    let stored = try first("SELECT * FROM attempt WHERE kind = ? AND subject = ?", [kind.rawValue, subject], in: db)
    guard let stored, stored.isRecent(throttle, at: now) else { return none }
    return stored
  }

  /// Throws, with the seconds left to wait, once the throttle's limit is reached.
  ///
  /// - Parameter email: the account's address, if the subject is not an address.
  func requireFew(_ throttle: Throttle, at now: Moment, email: String? = nil) throws(AuthError) {
    guard count >= throttle.attempts else { return }
    let wait = max(since + throttle.windowSeconds - now.seconds, 1)
    throw AuthError(
      server: .tooManyAttemptsTryLater, "try again in \(wait) s",
      email: [.signIn, .message].contains(kind) ? String(subject.prefix { $0 != " " }) : email,
      retryAfter: .seconds(wait))
  }

  /// Counts one more attempt, and deletes some expired ones.
  mutating func add(_ throttle: Throttle, at now: Moment, in db: Database) throws {
    count += 1
    try insert(db, onConflict: .replace)
    // A few at a time, so that no single call cleans up after all earlier ones.
    try db.change(
      """
      DELETE FROM attempt WHERE kind = ? AND subject IN
        (SELECT subject FROM attempt WHERE kind = ? AND since <= ? LIMIT 16)
      """, [kind.rawValue, kind.rawValue, now.seconds - throttle.windowSeconds])
  }

  /// Deletes the failed sign-ins of an account.
  static func forgetSignIns(of email: EmailAddress, of tenant: String, in db: Database) throws {
    try forget(.signIn, subject(email, of: tenant), in: db)
  }

  /// Deletes the attempts for a subject, and the networks' shares of them.
  static func forget(_ kind: Kind, _ subject: String, in db: Database) throws {
    try db.change("DELETE FROM attempt WHERE kind = ? AND subject = ?", [kind.rawValue, subject])
    guard let share = kind.share else { return }
    // All subjects that begin with the subject and the line break.
    try db.change(
      "DELETE FROM attempt WHERE kind = ? AND subject > ? AND subject < ?",
      [share.rawValue, Self.subject(subject, from: ""), "\(subject)\u{B}"])
  }

  /// Whether the row still counts. A row from the future was written before the clock was set back, and no longer
  /// counts.
  private func isRecent(_ throttle: Throttle, at now: Moment) -> Bool {
    since <= now.seconds && since > now.seconds - throttle.windowSeconds
  }
}
