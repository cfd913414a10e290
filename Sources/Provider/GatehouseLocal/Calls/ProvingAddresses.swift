import GRDB
import GatehouseBase
import IdentityToolkit

extension Provider {
  /// Makes an address free for an account whose user proves it: an account that never has proved it loses it.
  ///
  /// - Throws: `EMAIL_EXISTS` if another account has proved the address, or if it is the account's own.
  func claim(_ address: EmailAddress, for account: StoredAccount, at now: Moment, in db: Database) throws {
    guard var holder = try StoredAccount.find(address, of: account.tenant, in: db) else { return }
    guard holder.yields(to: account) else { throw AuthError(server: .emailExists, email: address.text) }
    note(.emailChanged, of: holder, whenCommitted: db, at: now)
    try holder.loseAddress(at: now, in: db)
    try holder.update(db)
  }

  /// Lets the owner of a verified mailbox in, who has shown no credential of the account: factors that are older than
  /// the verification of the address end.
  func admit(_ account: StoredAccount, at now: Moment, in db: Database) throws {
    guard try account.loseFactorsBeforeVerification(in: db) else { return }
    note(.secondFactorWithdrawn, of: account, whenCommitted: db, at: now)
  }
}
