import GRDB
import GatehouseBase
import IdentityToolkit

/// The user and session that a verified ID token names. The account may have changed since.
struct Bearer: Sendable {
  let uid: String
  /// How and when the user signed in.
  let provider: String
  let authTime: Int64
  /// Names the sign-in; `nil` in a token of an earlier version.
  let session: String?
  /// The second factor of the sign-in.
  let factor: UsedFactor?
  /// When the token was verified.
  let now: Moment

  /// The account, as it is in this transaction. Refuses one that is gone or disabled, or whose tenant is switched off,
  /// and a session that was ended: all of the account at once, by `validSince`, or this one alone, by its refresh
  /// tokens.
  ///
  ///     `validSince`        the token is good if
  ///     is not in the future    its sign-in is not earlier
  ///     is in the future        its session has a refresh token that is not revoked: the clock has been set back since
  ///                             the last revocation, and times tell nothing
  func account(in db: Database) throws -> StoredAccount {
    guard let account = try StoredAccount.find(uid: uid, in: db) else { throw AuthError(server: "USER_NOT_FOUND") }
    try account.requireEnabled()
    try account.requireTenantSwitchedOn(in: db)
    let isLive = try session.map { try StoredRefreshToken.isLive(session: $0, of: uid, in: db) }
    guard isLive ?? true, authTime >= account.validSince || isLive == true && account.validSince > now.seconds else {
      throw AuthError(server: "TOKEN_EXPIRED")
    }
    return account
  }

  /// The account of a call that may name a tenant as well.
  func account(of call: some TenantCall, in db: Database) throws -> StoredAccount {
    let account = try account(in: db)
    if call.tenantId != nil { try account.requireTenant(call.tenant) }
    return account
  }

  /// Refuses a change that needs a recent sign-in. A user who can never sign in again, an anonymous one or one who has
  /// lost the address, is spared.
  func requireRecentSignIn(to account: StoredAccount, _ options: LocalOptions, in db: Database) throws {
    guard let seconds = options.recentSignIn?.wholeSeconds else { return }
    guard try account.email != nil || account.hasWays(in: db) else { return }
    guard authTime >= now.seconds - seconds else { throw AuthError(server: "CREDENTIAL_TOO_OLD_LOGIN_AGAIN") }
  }
}
