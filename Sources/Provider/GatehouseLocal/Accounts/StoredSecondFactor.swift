import GRDB
import GatehouseBase
import GatehouseCrypto
import IdentityToolkit

/// A second factor of an account, as a row.
struct StoredSecondFactor: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "secondFactor"
  /// `totp`, as the protocol calls an authenticator app.
  static let totp = "totp"
  /// `phone`.
  static let phone = "phone"
  /// The maximum for one account.
  static let most = 5

  var id: String
  var uid: String
  /// What it is: `totp`, `phone`.
  var kind: String
  var displayName: String?
  /// The shared secret, in base32. It cannot be hashed: passwords are made of it. Empty of a phone.
  var secret: String
  /// Where codes are sent.
  var phoneNumber: String?
  /// The period of the last password that was used: neither that one nor an earlier one is taken again.
  var lastStep: Int64
  /// Milliseconds since 1970.
  var enrolledAt: Int64

  static func all(of uid: String, in db: Database) throws -> [StoredSecondFactor] {
    try every("SELECT * FROM secondFactor WHERE uid = ? ORDER BY enrolledAt, id", [uid], in: db)
  }

  /// The factor, or `MFA_ENROLLMENT_NOT_FOUND`.
  static func require(_ id: String, of uid: String, in db: Database) throws -> StoredSecondFactor {
    let found = try first("SELECT * FROM secondFactor WHERE id = ? AND uid = ?", [id, uid], in: db)
    guard let found else { throw AuthError(server: "MFA_ENROLLMENT_NOT_FOUND") }
    return found
  }

  /// Takes a password, once.
  ///
  /// - Returns: whether it is the factor's, and was not used before.
  mutating func take(_ password: String, at now: Moment) throws(AuthError) -> Bool {
    guard let step = try Self.step(of: password, secret, at: now), step > lastStep else { return false }
    lastStep = step
    return true
  }

  /// The period of a password, if it is of these seconds.
  static func step(of password: String, _ secret: String, at now: Moment) throws(AuthError) -> Int64? {
    guard let bytes = Base32.decode(secret) else {
      throw AuthError(.providerDamaged, "a second factor cannot be read; restore the accounts from a copy")
    }
    return try OneTimePassword.step(of: password, SecretBytes(bytes), at: now.seconds)
  }

  /// What clients are told of it; of a masked one only the last digits of its number.
  func info(isMasked: Bool) -> SecondFactor {
    var info = SecondFactor(uid: id, factorID: kind)
    info.displayName = displayName
    info.phoneNumber = phoneNumber.map { isMasked ? PhoneNumber.masked($0) : $0 }
    info.enrollmentSeconds = Double(enrolledAt / 1000)  // as the protocol shows it
    return info
  }

  static func forgetAll(of uid: String, in db: Database) throws {
    for table in ["secondFactor", "pendingFactor", "pendingSignIn", "recoveryCode"] {
      try db.change("DELETE FROM \(table) WHERE uid = ?", [uid])
    }
  }
}

/// An enrolment that has begun, as a row.
struct PendingFactor: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "pendingFactor"
  /// How long it may take, in seconds.
  static let lifetime: Int64 = 600

  /// Of the text that names it.
  var hash: String
  var uid: String
  var secret: String
  /// Seconds since 1970.
  var expires: Int64
}

/// A sign-in whose first factor was accepted, as a row.
struct WaitingSignIn: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "pendingSignIn"
  /// How long it may take, in seconds.
  static let lifetime: Int64 = 600

  /// Of the credential that goes on with it.
  var hash: String
  var uid: String
  /// How the user signed in with the first factor.
  var provider: String
  /// Seconds since 1970.
  var expires: Int64

  static func forgetAll(of uid: String, in db: Database) throws {
    try db.change("DELETE FROM pendingSignIn WHERE uid = ?", [uid])
  }
}

/// A code that signs in once instead of a second factor: 80 random bits, as `ABCD-EFGH-IJKL-MNOP`. Only its hash is
/// stored.
struct RecoveryCode: Sendable {
  static let count = 10
  let text: String

  init() throws(AuthError) {
    let letters = Array(Base32.encode(try RandomBytes.make(10)))
    text = stride(from: 0, to: letters.count, by: 4).map { String(letters[$0..<$0 + 4]) }.joined(separator: "-")
  }

  /// The hash of what a user typed: spaces, hyphens and lower case do not matter.
  static func hash(_ typed: Secret) throws(AuthError) -> String {
    let letters = typed.revealed.uppercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
    return Base64URL.encode(try HashAlgorithm.sha256.hash(letters))
  }
}
