import GRDB
import GatehouseBase
import IdentityToolkit

extension Provider {
  /// Applies a code: verifies, changes or recovers an address. The code is used up in the same transaction.
  func apply(_ code: Secret, of tenant: String) throws(AuthError) -> Answer<Update.Response> {
    let now = try now()
    return try database.write { db in
      let stored = try StoredActionCode.require(
        code, [.verifyEmail, .verifyAndChangeEmail, .recoverEmail], of: tenant, at: now, in: db)
      _ = try stored.delete(db)
      var account: StoredAccount
      var notice: OutgoingMessage?
      switch stored.type {
      case .verifyEmail:
        account = try stored.account(having: stored.email, in: db)
        account.emailVerified = true
      case .verifyAndChangeEmail:
        account = try stored.account(having: stored.email, in: db)
        try account.move(to: stored.newEmail ?? stored.email, at: now, in: db)
        notice = try noticeOfChange(of: account, from: stored.email, at: now, in: db)
      default:
        account = try stored.accountToRecover(in: db)
        if account.email?.isExactly(stored.email) == true {
          account.emailVerified = true
        } else {
          try account.move(to: stored.email, at: now, in: db)
        }
      }
      try account.update(db)
      return Answer(try Update.Response(of: account, in: db), andTelling: notice)
    }
  }
}

extension StoredAccount {
  /// Gives the account an address that a message has reached. Its sessions end.
  fileprivate mutating func move(to new: String, at now: Moment, in db: Database) throws {
    try StoredAccount.requireFree(EmailAddress(new), of: tenant, in: db)
    try revokeSessions(at: now, in: db)
    email = new
    emailVerified = true
  }
}

extension StoredActionCode {
  /// Returns the account whose former address is restored, whatever its current address.
  func accountToRecover(in db: Database) throws -> StoredAccount {
    guard let uid, let account = try StoredAccount.find(uid: uid, in: db) else {
      throw AuthError(server: "USER_NOT_FOUND")
    }
    try account.requireEnabled()
    return account
  }
}
