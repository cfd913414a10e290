import GRDB
import GatehouseBase
import IdentityToolkit

/// Whom an ID token of ours speaks for. The token was verified; the account may have changed since.
struct Bearer: Sendable {
  let uid: String
  /// How and when the user signed in.
  let provider: String
  let authTime: Int64

  /// The account, as it is in this transaction. Refuses one that is gone or disabled, and a session that was ended.
  func account(in db: Database) throws -> StoredAccount {
    guard let account = try StoredAccount.find(uid: uid, in: db) else { throw AuthError(server: "USER_NOT_FOUND") }
    try account.requireEnabled()
    guard authTime >= account.validSince else { throw AuthError(server: "TOKEN_EXPIRED") }
    return account
  }
}
