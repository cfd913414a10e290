import GRDB
import GatehouseBase
import GatehouseCrypto
import IdentityToolkit

/// A row for a second factor of an account.
struct StoredSecondFactor: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "secondFactor"
  /// `totp`, the protocol's name for an authenticator app.
  static let totp = SecondFactorRules.totp
  /// `phone`.
  static let phone = SecondFactorRules.phone
  /// The maximum number for one account.
  static let most = 5

  var id: String
  var uid: String
  /// The kind: `totp`, `phone`.
  var kind: String
  var displayName: String?
  /// The shared secret, in base32. It cannot be hashed, because passwords are computed from it. Empty for a phone.
  var secret: String
  /// The phone number that codes are sent to.
  var phoneNumber: String?
  /// The period of the last password that was used. That password and earlier ones are no longer accepted.
  var lastStep: Int64
  /// The time of the enrollment, in milliseconds since 1970.
  var enrolledAt: Int64
  /// Whether the account's user has enrolled the factor, not an administrator.
  var byUser = false

  static func all(of uid: String, in db: Database) throws -> [StoredSecondFactor] {
    try every("SELECT * FROM secondFactor WHERE uid = ? ORDER BY enrolledAt, id", [uid], in: db)
  }

  /// Returns the factor, or throws `MFA_ENROLLMENT_NOT_FOUND`.
  static func require(_ id: String, of uid: String, in db: Database) throws -> StoredSecondFactor {
    let found = try first("SELECT * FROM secondFactor WHERE id = ? AND uid = ?", [id, uid], in: db)
    guard let found else { throw AuthError(server: .mfaEnrollmentNotFound) }
    return found
  }

  /// Returns the factor's data for clients. If masked, only the last digits of its number are shown.
  func info(isMasked: Bool) -> SecondFactor {
    var info = SecondFactor(uid: id, factorID: kind)
    info.displayName = displayName
    info.phoneNumber = phoneNumber.map { isMasked ? PhoneNumber.masked($0) : $0 }
    info.enrollmentSeconds = Double(enrolledAt / 1000)  // whole seconds, the protocol's precision
    return info
  }

  static func forgetAll(of uid: String, in db: Database) throws {
    for table in ["secondFactor", "pendingFactor", "pendingSignIn", "recoveryCode"] {
      try db.change("DELETE FROM \(table) WHERE uid = ?", [uid])
    }
  }
}

/// A row for an enrollment that has begun.
struct PendingFactor: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "pendingFactor"
  /// The maximum duration of an enrollment, in seconds.
  static let lifetime: Int64 = 600

  /// The hash of the enrollment's identifier.
  var hash: String
  var uid: String
  var secret: String
  /// The expiry, in seconds since 1970.
  var expires: Int64

  /// The maximum number of enrollments that an account has begun. One more replaces the oldest.
  static let most = 5

  /// Stores the row. Expired ones go, and those of the account that are too many.
  func keep(at now: Moment, in db: Database) throws {
    try db.change("DELETE FROM pendingFactor WHERE expires <= ?", [now.seconds])
    try db.change(
      """
      DELETE FROM pendingFactor WHERE hash IN
        (SELECT hash FROM pendingFactor WHERE uid = ? ORDER BY expires DESC LIMIT -1 OFFSET ?)
      """, [uid, Self.most - 1])
    try insert(db)
  }
}

/// A row for a sign-in whose first factor was accepted.
struct WaitingSignIn: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "pendingSignIn"
  /// The maximum duration of the sign-in, in seconds.
  static let lifetime: Int64 = 600

  /// The hash of the credential that continues the sign-in.
  var hash: String
  var uid: String
  /// The sign-in method of the first factor.
  var provider: String
  /// The expiry, in seconds since 1970.
  var expires: Int64
  /// The account's `passwordGeneration`, if the first factor was its password.
  var passwordGeneration: Int64?

  static func forgetAll(of uid: String, in db: Database) throws {
    try db.change("DELETE FROM pendingSignIn WHERE uid = ?", [uid])
  }
}

/// A code that replaces a second factor in one sign-in: 80 random bits, as `ABCD-EFGH-IJKL-MNOP`. Only its hash is
/// stored.
struct RecoveryCode: Sendable {
  static let count = 10
  let text: String

  init() throws(AuthError) {
    let letters = Array(Base32.encode(try RandomBytes.bytes(10)))
    text = stride(from: 0, to: letters.count, by: 4).map { String(letters[$0..<$0 + 4]) }.joined(separator: "-")
  }

  /// Returns the hash of a typed or pasted code. White space, dashes and case do not matter.
  static func hash(_ typed: Secret) throws(AuthError) -> String {
    let letters = typed.revealed.uppercased().unicodeScalars.filter {
      !$0.properties.isWhitespace && $0.properties.generalCategory != .dashPunctuation
    }
    return Base64URL.encode(try HashAlgorithm.sha256.digest(of: Array(String(String.UnicodeScalarView(letters)).utf8)))
  }
}
