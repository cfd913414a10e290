import GRDB
import GatehouseBase
import IdentityToolkit

/// The user and session that a verified ID token names. The account may have changed since.
struct Bearer: Sendable {
  let uid: String
  /// The tenant of the user; empty for the project itself.
  let tenant: String
  /// The sign-in method, and then the time of the sign-in.
  let provider: String
  let authTime: Int64
  /// The identifier of the sign-in.
  let session: String
  /// The second factor of the sign-in.
  let factor: UsedFactor?
  /// The time at which the token was verified.
  let now: Moment

  /// Returns the account, as it is in this transaction. Refuses an account that is deleted or disabled, or whose tenant
  /// is disabled, and a session that has ended: together with all sessions of the account, by `validSince`, or alone,
  /// by its refresh tokens.
  ///
  ///     `validSince`            the token is valid if
  ///     is not in the future    its sign-in is not earlier
  ///     is in the future        its session has a refresh token that is not revoked: the clock was set back since the
  ///                             last revocation, so the times cannot be compared
  func account(in db: Database) throws -> StoredAccount {
    guard let account = try StoredAccount.find(uid: uid, in: db), account.tenant.isExactly(tenant) else {
      throw AuthError(server: .userNotFound)
    }
    try account.requireEnabled()
    try account.requireTenantSwitchedOn(in: db)
    try requireLive(try StoredRefreshToken.isLive(session: session, of: uid, in: db), account)
    return account
  }

  private func requireLive(_ isLive: Bool, _ account: StoredAccount) throws(AuthError) {
    guard isLive, authTime >= account.validSince || account.validSince > now.seconds else {
      throw AuthError(server: .tokenExpired)
    }
  }

  /// Returns the same account by one statement, if that reads everything that a look-up returns: for an account without
  /// a tenant, second factors or identity providers, as most are. `nil` for any other account, which has not been
  /// checked yet.
  func plainAccount(in db: Database) throws -> StoredAccount? {
    let found = try db.row(Self.plain, [session, uid, uid, uid, uid]) { row in
      let account = try StoredAccount(columns: row, from: 0), behind = StoredAccount.columnCount
      let isPlain = try account.tenant.isEmpty && tenant.isEmpty && !row.flag(behind + 1) && !row.flag(behind + 2)
      return (account, isLive: try row.flag(behind), isPlain)
    }
    guard let (account, isLive, isPlain) = found else { throw AuthError(server: .userNotFound) }
    guard isPlain else { return nil }
    try account.requireEnabled()
    try requireLive(isLive, account)
    return account
  }

  private static let plain = """
    SELECT \(StoredAccount.columns),
      EXISTS (SELECT 1 FROM refreshToken WHERE session = ? AND uid = ? AND state = 'valid'),
      EXISTS (SELECT 1 FROM secondFactor WHERE uid = ?), EXISTS (SELECT 1 FROM identity WHERE uid = ?)
    FROM account WHERE uid = ?
    """

  /// The time at which the user has signed in, in seconds since 1970. A session that replaced another one, after a
  /// change, keeps it, or a stolen session could be kept recent by one change after another.
  func signedIn(in db: Database) throws -> Int64 {
    let replaced = try Int64.fetchOne(
      db, sql: "SELECT signedInAt FROM refreshToken WHERE session = ? AND uid = ? LIMIT 1", arguments: [session, uid])
    return replaced ?? authTime
  }

  /// Refuses a change that requires a recent sign-in. A user who can never sign in again, because they are anonymous or
  /// have lost the address, is exempt.
  func requireRecentSignIn(to account: StoredAccount, _ options: LocalOptions, in db: Database) throws {
    guard let seconds = options.recentSignIn?.wholeSeconds else { return }
    guard try account.email != nil || account.hasWays(in: db) else { return }
    guard try signedIn(in: db) >= now.seconds - seconds else {
      throw AuthError(server: .credentialTooOldLoginAgain)
    }
  }

  /// Refuses a session that has shown no second factor, if the account has any: a password alone must not change the
  /// factors. The sessions that are older than a factor of an administrator are such, and those whose factor is gone.
  func requireFactor(of account: StoredAccount, in db: Database) throws {
    let factors = try StoredSecondFactor.all(of: account.uid, in: db)
    let hasShown = factor.map { shown in
      shown.kind == UsedFactor.recoveryCode || factors.contains { shown.id?.isExactly($0.id) == true }
    }
    guard factors.isEmpty || hasShown == true else { throw AuthError(server: .credentialTooOldLoginAgain) }
  }
}
