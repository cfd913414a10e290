import GRDB
import GatehouseBase
import GatehouseCrypto
import IdentityToolkit

/// A row for a code that was sent to a phone. The row is deleted when the code is used; after too many wrong guesses,
/// the code is refused.
struct StoredPhoneCode: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "phoneCode"
  /// The lifetime of a code, in seconds.
  static let lifetime: Int64 = 300
  /// The maximum number of wrong guesses.
  static let guesses: Int64 = 5

  enum Purpose: String, Codable, Sendable {
    case signIn
    /// Enrolls the phone as a second factor.
    case enrollment
    /// Is the second factor of a sign-in.
    case secondFactor
    /// Proves a number again, without a code.
    case proof
  }

  /// The hash of the message's identifier.
  var hash: String
  var purpose: Purpose
  var phoneNumber: String
  /// The hash of the code together with the message's identifier, without which the six digits could be found by trial.
  var codeHash: String
  /// The tenant of a sign-in; empty for the project itself.
  var tenant = ""
  /// The account, for a second factor.
  var uid: String?
  /// The second factor.
  var factor: String?
  var guesses: Int64 = 0
  /// The expiry, in seconds since 1970.
  var expires: Int64

  /// The result of checking a code that a client sent.
  enum Finding: Sendable {
    case good(StoredPhoneCode)
    /// A wrong code. It was counted, so the transaction must be committed.
    case wrong
  }

  /// Checks a code and uses it up.
  ///
  /// - Throws: `MISSING_SESSION_INFO`, `MISSING_CODE`, `INVALID_SESSION_INFO` for a code that was never sent, was used,
  ///   or was guessed too often; `SESSION_EXPIRED`.
  static func take(
    _ code: Secret, _ sessionInfo: Secret, for purpose: Purpose, at now: Moment, in db: Database
  ) throws -> Finding {
    guard !sessionInfo.revealed.isEmpty else { throw AuthError(server: .missingSessionInfo) }
    if purpose != .proof, code.revealed.isEmpty { throw AuthError(server: .missingCode) }
    let hash = try ActionCode.hash(sessionInfo)
    let found = try first("SELECT * FROM phoneCode WHERE hash = ?", [hash], in: db)
    guard var found, found.purpose == purpose, found.guesses < Self.guesses else {
      throw AuthError(server: .invalidSessionInfo)
    }
    guard found.expires > now.seconds else { throw AuthError(server: .sessionExpired) }
    guard try Secret(found.codeHash) == Secret(Self.hash(code, sessionInfo)) else {
      found.guesses += 1
      try found.update(db)
      return .wrong
    }
    _ = try found.delete(db)
    return .good(found)
  }

  /// Stores a code, and deletes those that have expired.
  func keep(at now: Moment, in db: Database) throws {
    try db.change("DELETE FROM phoneCode WHERE expires <= ?", [now.seconds - 3600])
    try insert(db)
  }

  static func hash(_ code: Secret, _ sessionInfo: Secret) throws(AuthError) -> String {
    Base64URL.encode(try HashAlgorithm.sha256.digest(of: Array("\(sessionInfo.revealed)\n\(code.revealed)".utf8)))
  }

  static func forgetAll(of uid: String, in db: Database) throws {
    try db.change("DELETE FROM phoneCode WHERE uid = ?", [uid])
  }
}

/// A new code for a phone: six digits, and the identifier of its message.
struct PhoneCode: Sendable {
  let code: Secret
  let sessionInfo: Secret

  init() throws(AuthError) {
    sessionInfo = try ActionCode().secret
    // 2^64 is so much larger than 10^6 that all codes are practically equally likely.
    let number = try RandomBytes.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
    let digits = String(number)
    code = Secret(String(repeating: "0", count: 6 - digits.utf8.count) + digits)
  }

  func stored(
    _ purpose: StoredPhoneCode.Purpose, _ number: PhoneNumber, tenant: String = "", of uid: String? = nil,
    factor: String? = nil, at now: Moment
  ) throws(AuthError) -> StoredPhoneCode {
    StoredPhoneCode(
      hash: try ActionCode.hash(sessionInfo), purpose: purpose, phoneNumber: number.text,
      codeHash: try StoredPhoneCode.hash(code, sessionInfo), tenant: tenant, uid: uid, factor: factor,
      expires: now.seconds + StoredPhoneCode.lifetime)
  }
}
