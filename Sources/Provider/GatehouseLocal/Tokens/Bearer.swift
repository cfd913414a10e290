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
  /// When the token was verified.
  let now: Moment

  /// The account, as it is in this transaction. Refuses one that is gone or disabled, and a session that was ended.
  ///
  ///     `validSince`        the token is good if
  ///     is not in the future    its sign-in is not earlier
  ///     is in the future        its session has a refresh token that is not revoked: the clock has been set back since
  ///                             the last revocation, and times tell nothing
  func account(in db: Database) throws -> StoredAccount {
    guard let account = try StoredAccount.find(uid: uid, in: db) else { throw AuthError(server: "USER_NOT_FOUND") }
    try account.requireEnabled()
    guard try authTime >= account.validSince || isAheadOfTime(account, in: db) else {
      throw AuthError(server: "TOKEN_EXPIRED")
    }
    return account
  }

  /// Refuses a change that needs a recent sign-in. A user who can never sign in again, an anonymous one or one who has
  /// lost the address, is spared.
  func requireRecentSignIn(to account: StoredAccount, _ options: LocalOptions) throws(AuthError) {
    guard let seconds = options.recentSignIn?.wholeSeconds, account.email != nil || account.customAuth else { return }
    guard authTime >= now.seconds - seconds else { throw AuthError(server: "CREDENTIAL_TOO_OLD_LOGIN_AGAIN") }
  }

  private func isAheadOfTime(_ account: StoredAccount, in db: Database) throws -> Bool {
    guard account.validSince > now.seconds, let session else { return false }
    return try StoredRefreshToken.isLive(session: session, of: uid, in: db)
  }
}
