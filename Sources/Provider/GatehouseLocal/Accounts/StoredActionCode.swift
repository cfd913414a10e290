import GRDB
import GatehouseBase
import GatehouseCrypto
import IdentityToolkit

/// A row for a message's code: its hash and its purpose. The row is deleted when the code is used.
struct StoredActionCode: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "actionCode"

  var hash: String
  var type: ActionCodeType
  /// The account that the code is about; `nil` for a sign-in.
  var uid: String?
  /// The tenant; empty for the project itself.
  var tenant: String
  /// The account's address; for a change, the earlier one.
  var email: String
  /// For a change, the new address.
  var newEmail: String?
  /// The expiry, in seconds since 1970.
  var expires: Int64
  /// The sign-in that asked for the code; `nil` if none did.
  var session: String?
  /// For a code that takes a change back, the epoch that began with the change. For a code by which the owner of a new
  /// address refuses the change, the epoch in which the change was asked for.
  var epoch: Int64?
  /// For a code that takes the change of a verified address back, what the account's `verifiedEpoch` was before.
  var verifiedEpoch: Int64?
  /// The second factor that the code takes away.
  var factor: String?
  /// For a code that takes a factor away, the time until which it does so alone, in seconds since 1970.
  var aloneUntil: Int64?
  /// For a code that takes a factor away, the end of its waiting time, in seconds since 1970; `nil` until that begins.
  var removesAt: Int64?
  /// For a code that takes a factor away, the account's `passwordGeneration` at the enrollment.
  var passwordGeneration: Int64?
  /// For a code that takes a factor away, the devices and networks where the account's owner was before the enrollment:
  /// `KnownDevice.ownersHashes`, separated by spaces.
  var ownersDevices: String?
  /// For a code that ends another one, the hash of that one.
  var stops: String?

  /// Whether the owner of the account's address says by this code that the account is not theirs.
  var refusesAccount: Bool { type == .recoverEmail && newEmail == nil && epoch == nil }

  /// The time for which an expired code is kept, in seconds. Until then a client learns why the code is refused.
  private static let memory: Int64 = 7 * 86400

  /// Returns the code with this text, if it is valid, has one of these types and belongs to the tenant. Refuses any
  /// other code.
  static func require(
    _ code: Secret, _ types: Set<ActionCodeType>? = nil, of tenant: String, at now: Moment, in db: Database
  ) throws -> StoredActionCode {
    guard !code.revealed.isEmpty else { throw AuthError(server: .missingOOBCode) }
    let hash = try ActionCode.hash(code)
    let found = try first("SELECT * FROM actionCode WHERE hash = ?", [hash], in: db)
    guard let found, types?.contains(found.type) ?? true else { throw AuthError(server: .invalidOOBCode) }
    guard found.tenant.isExactly(tenant) else { throw AuthError(server: .tenantIDMismatch) }
    guard found.expires > now.seconds else { throw AuthError(server: .expiredOOBCode) }
    return found
  }

  /// Returns the code's account, if it still has the given address, and the sign-in that asked for the code is not
  /// over. Refuses an account that is gone, disabled, or has another address now.
  func account(having email: String, in db: Database) throws -> StoredAccount {
    guard let uid, let account = try StoredAccount.find(uid: uid, in: db) else {
      throw AuthError(server: .userNotFound)
    }
    try account.requireEnabled()
    let isLive = try session.map { try StoredRefreshToken.isLive(session: $0, of: account, in: db) } ?? true
    guard account.email?.isExactly(email) == true, isLive else { throw AuthError(server: .invalidOOBCode) }
    return account
  }

  /// Deletes the codes of an account, and those that sign in with its address. Codes that take a change back are
  /// kept.
  static func forget(of account: StoredAccount, in db: Database) throws {
    try db.change(
      "DELETE FROM actionCode WHERE (uid = ? OR email = ? AND tenant = ? AND type = ?) AND type NOT IN (?, ?)",
      [
        account.uid, account.email, account.tenant, ActionCodeType.emailSignIn.rawValue,
        ActionCodeType.recoverEmail.rawValue, ActionCodeType.revertSecondFactorAddition.rawValue,
      ])
  }

  /// Deletes the codes that would give an account an address.
  static func forget(changesOf uid: String, to address: String, in db: Database) throws {
    try db.change(
      "DELETE FROM actionCode WHERE uid = ? AND type = ? AND newEmail = ?",
      [uid, ActionCodeType.verifyAndChangeEmail.rawValue, address])
  }

  /// Deletes the codes that could change an administrator's word on the address or take it back, and those that were
  /// sent to another address than the account's.
  static func forgetWaysBack(of account: StoredAccount, in db: Database) throws {
    try db.change(
      "DELETE FROM actionCode WHERE uid = ? AND (type IN (?, ?) OR email IS NOT ?)",
      [
        account.uid, ActionCodeType.recoverEmail.rawValue, ActionCodeType.verifyAndChangeEmail.rawValue,
        account.email,
      ])
  }

  /// Deletes the codes by which the owner of the account's address says that the account, or its change to that
  /// address, is not theirs.
  static func forgetRefusals(of account: StoredAccount, in db: Database) throws {
    try db.change(
      "DELETE FROM actionCode WHERE uid = ? AND type = ? AND newEmail IS NULL AND email = ?",
      [account.uid, ActionCodeType.recoverEmail.rawValue, account.email])
  }

  /// Deletes the codes that take second factors of an account away.
  static func forgetFactorRemovals(of account: StoredAccount, in db: Database) throws {
    try db.change(
      "DELETE FROM actionCode WHERE uid = ? AND type = ?",
      [account.uid, ActionCodeType.revertSecondFactorAddition.rawValue])
  }

  /// Deletes the codes for a factor that its owner has just confirmed: by a sign-in with it and with the password of
  /// before the enrollment, where the account's owner was before (decision 147).
  static func forget(
    confirmedBy waiting: WaitingSignIn, _ factor: UsedFactor, of account: StoredAccount, _ caller: Caller,
    in db: Database
  ) throws {
    guard let id = factor.id, waiting.passwordGeneration == account.passwordGeneration else { return }
    let here = try KnownDevice.hashes(of: caller, for: account)
    let codes = try every(
      "SELECT * FROM actionCode WHERE uid = ? AND factor = ? AND passwordGeneration = ?",
      [account.uid, id, account.passwordGeneration], in: db)
    for code in codes {
      let owners = (code.ownersDevices ?? "").split(separator: " ")
      if here.contains(where: { hash in owners.contains { $0.utf8.elementsEqual(hash.utf8) } }) {
        _ = try code.delete(db)
      }
    }
  }

  /// Deletes all codes of an account, those that take a change back as well.
  static func forgetAll(of uid: String, in db: Database) throws {
    try db.change("DELETE FROM actionCode WHERE uid = ?", [uid])
  }

  /// Deletes all codes that expired long ago.
  static func forgetExpired(at now: Moment, in db: Database) throws {
    try db.change("DELETE FROM actionCode WHERE expires < ?", [now.seconds - memory])
  }
}

/// A message's code as its recipient holds it: 320 random bits in 54 characters, like Firebase's. Only its hash is
/// stored.
struct ActionCode: Sendable {
  let secret: Secret

  /// Makes a new code.
  init() throws(AuthError) { secret = Secret(Base64URL.encode(try RandomBytes.bytes(40))) }

  /// An unsalted, fast hash is sufficient, because 320 random bits cannot be guessed.
  static func hash(_ code: Secret) throws(AuthError) -> String {
    Base64URL.encode(try HashAlgorithm.sha256.digest(of: Array(code.revealed.utf8)))
  }
}
