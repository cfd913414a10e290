import GRDB
import GatehouseBase
import IdentityToolkit

/// An account, as a row.
struct StoredAccount: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "account"
  /// `phone`, as the protocol calls that way to sign in.
  static let byPhone = "phone"

  var uid: String
  /// The tenant; empty for the project itself.
  var tenant = ""
  var email: String?
  var emailVerified = false
  /// As E.164 writes it.
  var phoneNumber: String?
  var displayName: String?
  var photoURL: String?
  /// A `PasswordHash` as text, or an `ImportedHash`.
  var password: String?
  /// Whether it signs in by links to its address.
  var emailLink = false
  /// Whether it signs in by custom tokens.
  var customAuth = false
  var disabled = false
  /// Milliseconds since 1970.
  var createdAt: Int64
  /// Milliseconds since 1970; zero of an account that an administrator made, until its first sign-in.
  var lastLoginAt: Int64
  /// When the user last got an ID token, in milliseconds since 1970, exact to the hour; `nil` before the first one.
  var lastRefreshAt: Int64?
  /// Tokens of sign-ins before this moment are revoked; seconds since 1970.
  var validSince: Int64
  /// What an administrator has ID tokens say of the user, as JSON.
  var claims: String?

  /// A new account without a way to sign in.
  init(uid: String, of tenant: String, at now: Moment) {
    self.uid = uid
    self.tenant = tenant
    createdAt = now.milliseconds
    lastLoginAt = now.milliseconds
    validSince = now.seconds
  }

  static func find(_ email: EmailAddress, of tenant: String, in db: Database) throws -> StoredAccount? {
    try first("SELECT * FROM account WHERE tenant = ? AND email = ?", [tenant, email.text], in: db)
  }

  static func find(uid: String, in db: Database) throws -> StoredAccount? {
    try first("SELECT * FROM account WHERE uid = ?", [uid], in: db)
  }

  static func find(phoneNumber: String, of tenant: String, in db: Database) throws -> StoredAccount? {
    try first("SELECT * FROM account WHERE tenant = ? AND phoneNumber = ?", [tenant, phoneNumber], in: db)
  }

  /// Refuses an address that an account of the tenant has already, this one included.
  static func requireFree(_ email: EmailAddress, of tenant: String, in db: Database) throws {
    if try find(email, of: tenant, in: db) != nil { throw AuthError(server: "EMAIL_EXISTS", email: email.text) }
  }

  /// Refuses an account of another tenant.
  func requireTenant(_ tenant: String) throws(AuthError) {
    guard self.tenant.isExactly(tenant) else { throw AuthError(server: "TENANT_ID_MISMATCH") }
  }

  func requireEnabled() throws(AuthError) {
    if disabled { throw AuthError(server: "USER_DISABLED", email: email) }
  }

  /// Ends every session of the account, the sign-ins that wait, and the codes that could begin one or change it.
  /// Refresh tokens of this very second are told apart by their row, ID tokens are not.
  mutating func revokeSessions(at now: Moment, in db: Database) throws {
    // The clock may have been set back since: what was revoked stays revoked.
    validSince = max(validSince, now.seconds)
    try StoredRefreshToken.revokeAll(of: uid, in: db)
    try WaitingSignIn.forgetAll(of: uid, in: db)
    try KnownDevice.forgetAll(of: uid, in: db)
    try forgetCodes(in: db)
  }

  /// Whether a user can sign in to the account again. A password without an address, which was lost, is no way.
  func hasWays(in db: Database) throws -> Bool {
    if customAuth || phoneNumber != nil || email != nil && !passwordMethods.isEmpty { return true }
    return try !StoredIdentity.all(of: uid, in: db).isEmpty
  }

  /// How the account signs in, as the protocol says it.
  func signInMethods(in db: Database) throws -> [String] {
    try passwordMethods + (phoneNumber == nil ? [] : [Self.byPhone])
      + StoredIdentity.all(of: uid, in: db).map(\.provider)
  }

  /// How it signs in by its address.
  var passwordMethods: [String] { (password == nil ? [] : ["password"]) + (emailLink ? ["emailLink"] : []) }

  /// Takes every way to sign in away: the account was made for an address that was not its maker's.
  mutating func loseAllWays(in db: Database) throws {
    password = nil
    emailLink = false
    customAuth = false
    phoneNumber = nil
    try StoredIdentity.forgetAll(of: uid, in: db)
  }

  /// Notes that the user gets an ID token.
  func noteRefresh(at now: Moment, in db: Database) throws {
    try db.change("UPDATE account SET lastRefreshAt = ? WHERE uid = ?", [now.milliseconds, uid])
  }

  /// Whether the last refresh is so long ago that the next one is to be noted: most refreshes write nothing.
  func hasOldRefresh(at now: Moment) -> Bool { lastRefreshAt.map { now.milliseconds - $0 >= 3_600_000 } ?? true }

  /// Removes the account and all that belongs to it. The hashes of its refresh tokens stay, so that they are refused
  /// because the user is gone.
  func remove(in db: Database) throws {
    try forgetCodes(in: db)
    try StoredActionCode.forgetAll(of: uid, in: db)
    try StoredSecondFactor.forgetAll(of: uid, in: db)
    try StoredIdentity.forgetAll(of: uid, in: db)
    try StoredPhoneCode.forgetAll(of: uid, in: db)
    _ = try delete(db)
  }

  /// Forgets the codes of messages to the account's address, but those that give a former address back.
  func forgetCodes(in db: Database) throws { try StoredActionCode.forget(of: self, in: db) }
}
