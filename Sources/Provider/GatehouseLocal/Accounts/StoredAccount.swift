import GRDB
import GatehouseBase
import IdentityToolkit

/// A row for an account.
struct StoredAccount: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "account"
  /// `phone`, the protocol's name of that sign-in method.
  static let byPhone = "phone"

  var uid: String
  /// The tenant; empty for the project itself.
  var tenant = ""
  var email: String?
  var emailVerified = false
  /// The phone number in E.164 form.
  var phoneNumber: String?
  var displayName: String?
  var photoURL: String?
  /// A `PasswordHash` as text, or an `ImportedHash`; in an emulator's home, a `ReadablePassword`.
  private(set) var password: String?
  /// The time at which the password was set, in milliseconds since 1970; `nil` without a password, and for one that was
  /// set before this was recorded.
  private(set) var passwordUpdatedAt: Int64?
  /// Incremented when a password is set or removed, and not when its hash is replaced.
  private(set) var passwordGeneration: Int64 = 0
  /// Whether the account signs in with links to its address.
  var emailLink = false
  /// Whether the account signs in with custom tokens.
  var customAuth = false
  var disabled = false
  /// The creation time, in milliseconds since 1970.
  var createdAt: Int64
  /// The time of the last sign-in, in milliseconds since 1970; zero for an account that an administrator created, until
  /// its first sign-in.
  var lastLoginAt: Int64
  /// The time at which the user last got an ID token, as far as it was written, in milliseconds since 1970; `nil`
  /// before the first one. `RecentRefreshes` has a later one.
  var lastRefreshAt: Int64?
  /// The time before which sign-ins are revoked, in seconds since 1970.
  var validSince: Int64
  /// The custom claims of the user's ID tokens, as JSON.
  var claims: String?
  /// The network address of the caller that made the account; `nil` if an administrator made it.
  var createdFrom: String?

  /// Makes a new account without a way to sign in.
  init(uid: String, of tenant: String, at now: Moment) {
    self.uid = uid
    self.tenant = tenant
    createdAt = now.milliseconds
    lastLoginAt = now.milliseconds
    validSince = now.seconds
    createdFrom = Caller.current.isAdministrator ? nil : Caller.current.address
  }

  static func find(_ email: EmailAddress, of tenant: String, in db: Database) throws -> StoredAccount? {
    try find("SELECT \(columns) FROM account WHERE tenant = ? AND email = ?", [tenant, email.text], in: db)
  }

  static func find(uid: String, in db: Database) throws -> StoredAccount? {
    // SQLite would end the text there.
    guard !uid.utf8.contains(0) else { return nil }
    return try find("SELECT \(columns) FROM account WHERE uid = ?", [uid], in: db)
  }

  static func find(phoneNumber: String, of tenant: String, in db: Database) throws -> StoredAccount? {
    try find("SELECT \(columns) FROM account WHERE tenant = ? AND phoneNumber = ?", [tenant, phoneNumber], in: db)
  }

  /// Reads by column, so that an address with an account takes hardly longer than one without (decision 154).
  private static func find(_ sql: String, _ arguments: StatementArguments, in db: Database) throws -> StoredAccount? {
    try db.row(sql, arguments) { row in try StoredAccount(columns: row, from: 0) }
  }

  /// Refuses an address that an account of the tenant already has, including this one.
  static func requireFree(_ email: EmailAddress, of tenant: String, in db: Database) throws {
    if try find(email, of: tenant, in: db) != nil { throw AuthError(server: .emailExists, email: email.text) }
  }

  /// Refuses an account of another tenant.
  func requireTenant(_ tenant: String) throws(AuthError) {
    guard self.tenant.isExactly(tenant) else { throw AuthError(server: .tenantIDMismatch) }
  }

  func requireEnabled() throws(AuthError) {
    if disabled { throw AuthError(server: .userDisabled, email: email) }
  }

  /// Ends every session of the account, the waiting sign-ins, and the codes that could begin a session or change the
  /// account. Forgets the known devices and networks except the caller's. Within the current second, refresh tokens are
  /// distinguished by their rows, but ID tokens are not.
  mutating func revokeSessions(at now: Moment, in db: Database) throws {
    try endSessions(at: now, in: db)
    try KnownDevice.forgetAll(of: uid, but: .current, in: db)
    try forgetCodes(in: db)
  }

  /// Ends every session of the account and the waiting sign-ins, and nothing else.
  mutating func endSessions(at now: Moment, in db: Database) throws {
    // The clock may have been set back since: never reduce the time.
    validSince = max(validSince, now.seconds)
    try StoredRefreshToken.revokeAll(of: uid, in: db)
    try WaitingSignIn.forgetAll(of: uid, in: db)
  }

  /// Whether a user can sign in to the account again. A password does not count if the address was lost.
  func hasWays(in db: Database) throws -> Bool {
    if customAuth || phoneNumber != nil || email != nil && !passwordMethods.isEmpty { return true }
    return try !StoredIdentity.all(of: uid, in: db).isEmpty
  }

  /// Returns the account's sign-in methods, as the protocol names them.
  func signInMethods(in db: Database) throws -> [String] {
    try passwordMethods + (phoneNumber == nil ? [] : [Self.byPhone])
      + StoredIdentity.all(of: uid, in: db).map(\.provider)
  }

  /// The account's sign-in methods by address.
  var passwordMethods: [String] { (password == nil ? [] : ["password"]) + (emailLink ? ["emailLink"] : []) }

  /// Records that the user gets an ID token.
  func noteRefresh(at now: Moment, in db: Database) throws {
    try db.change("UPDATE account SET lastRefreshAt = ? WHERE uid = ?", [now.milliseconds, uid])
  }

  /// Whether the last refresh is so old that the next one is recorded. Most refreshes write nothing.
  func hasOldRefresh(at now: Moment) -> Bool { lastRefreshAt.map { now.milliseconds - $0 >= 3_600_000 } ?? true }

  /// Removes the account and all its data. The hashes of its refresh tokens are kept, so that the tokens are refused
  /// because the user is gone.
  func remove(in db: Database) throws {
    try forgetCodes(in: db)
    try StoredActionCode.forgetAll(of: uid, in: db)
    try StoredSecondFactor.forgetAll(of: uid, in: db)
    try StoredIdentity.forgetAll(of: uid, in: db)
    try StoredPhoneCode.forgetAll(of: uid, in: db)
    _ = try delete(db)
  }

  /// Deletes the codes of messages to the account's address, except for those that take a change back.
  func forgetCodes(in db: Database) throws { try StoredActionCode.forget(of: self, in: db) }
}

// MARK: - The password

extension StoredAccount {
  /// Gives the account a password, as its hash.
  ///
  /// - Parameter milliseconds: the time since 1970 at which its user has chosen it.
  mutating func setPassword(_ hash: String, at milliseconds: Int64) {
    (password, passwordUpdatedAt) = (hash, milliseconds)
    passwordGeneration += 1
  }

  /// Stores another hash of the same password.
  mutating func rehashPassword(_ hash: String) { password = hash }

  mutating func removePassword() {
    (password, passwordUpdatedAt) = (nil, nil)
    passwordGeneration += 1
  }

  /// Removes what an administrator sets in a new account.
  mutating func clear() {
    removePassword()
    (email, phoneNumber, displayName, photoURL, claims) = (nil, nil, nil, nil, nil)
    (emailVerified, emailLink, customAuth, disabled) = (false, false, false, false)
  }
}

// MARK: - Columns

// Reading a row by name, as `Codable` does, takes longer than the most frequent statements themselves.
extension StoredAccount {
  /// The columns in the order in which `init(columns:from:)` reads them.
  static let columns = """
    account.uid, account.tenant, account.email, account.emailVerified, account.phoneNumber, account.displayName, \
    account.photoURL, account.password, account.emailLink, account.customAuth, account.disabled, account.createdAt, \
    account.lastLoginAt, account.lastRefreshAt, account.validSince, account.claims, \
    account.createdFrom, account.passwordUpdatedAt, account.passwordGeneration
    """
  static let columnCount = 19

  /// Reads an account from the columns of a row.
  ///
  /// - Parameters:
  ///   - row: a row of a statement that selects `columns`.
  ///   - first: the index of the first of them.
  init(columns row: StatementRow, from first: Int) throws(AuthError) {
    uid = try row.text(first)
    tenant = try row.text(first + 1)
    email = try row[first + 2]
    emailVerified = try row.flag(first + 3)
    phoneNumber = try row[first + 4]
    displayName = try row[first + 5]
    photoURL = try row[first + 6]
    password = try row[first + 7]
    emailLink = try row.flag(first + 8)
    customAuth = try row.flag(first + 9)
    disabled = try row.flag(first + 10)
    createdAt = try row.integer(first + 11)
    lastLoginAt = try row.integer(first + 12)
    lastRefreshAt = try row[first + 13]
    validSince = try row.integer(first + 14)
    claims = try row[first + 15]
    createdFrom = try row[first + 16]
    passwordUpdatedAt = try row[first + 17]
    passwordGeneration = try row.integer(first + 18)
  }
}
