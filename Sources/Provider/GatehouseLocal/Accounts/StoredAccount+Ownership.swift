import GRDB
import GatehouseBase
import IdentityToolkit

// Who owns an account (decision 95).
//
//     the address is proved                       what was there before
//     without a session, and was not verified     ends: ways to sign in, sessions, codes, changes, devices
//     without a session, and was verified         stays; after a reset, ways that are older than a verification by mail
//                                                 end as well
//     with a living session's ID token            stays
//     by the code that verifies it                stays, except for the other codes
//
// A second factor that an administrator has set stays in each case.
extension StoredAccount {
  /// The current epoch; see `AccountSchema`.
  func epoch(in db: Database) throws -> Int64 {
    try Int64.fetchOne(db, sql: "SELECT epoch FROM account WHERE uid = ?", arguments: [uid]) ?? 0
  }

  /// Ends everything that was there before: another person may have made the account, in order to wait for the owner of
  /// the address.
  mutating func beginAnew(at now: Moment, in db: Database) throws {
    password = nil
    emailLink = false
    customAuth = false
    phoneNumber = nil
    try StoredIdentity.forgetAll(of: uid, in: db)
    try revokeSessions(at: now, in: db)
    try KnownDevice.forgetAll(of: uid, in: db)
    try StoredActionCode.forgetAll(of: uid, in: db)
    try StoredPhoneCode.forgetAll(of: uid, in: db)
    try db.change("DELETE FROM pendingFactor WHERE uid = ?", [uid])
  }

  /// Empties the account, because the owner of its address says that another person has made it.
  mutating func empty(at now: Moment, in db: Database) throws {
    try beginAnew(at: now, in: db)
    try loseFactors(since: 0, in: db)
  }

  /// Marks the address as verified by a code that a living session has asked for. The other codes end.
  ///
  /// If the address was not verified before, another person may have asked: what the account has now is marked as older
  /// than the verification.
  mutating func verifyAddress(in db: Database) throws {
    try forgetCodes(in: db)
    if !emailVerified {
      try db.change("UPDATE account SET epoch = epoch + 1, verifiedEpoch = epoch + 1 WHERE uid = ?", [uid])
    }
    emailVerified = true
  }

  /// Gives the account an address that a message has reached. Its sessions end.
  mutating func move(to new: String, at now: Moment, in db: Database) throws {
    try StoredAccount.requireFree(EmailAddress(new), of: tenant, in: db)
    try revokeSessions(at: now, in: db)
    // The epoch ends with the change.
    if !emailVerified { try db.change("UPDATE account SET verifiedEpoch = epoch + 1 WHERE uid = ?", [uid]) }
    email = new
    emailVerified = true
  }

  /// Removes the phone and the identities that are older than the verification of the address by a message.
  mutating func loseWaysBeforeVerification(in db: Database) throws {
    try db.change(
      "DELETE FROM identity WHERE uid = ? AND epoch < (SELECT verifiedEpoch FROM account WHERE uid = ?)", [uid, uid])
    if try db.finds("SELECT 1 FROM account WHERE uid = ? AND phoneEpoch < verifiedEpoch", [uid]) { phoneNumber = nil }
  }

  /// Removes what was added since an epoch began: a password, a phone, identities, second factors, and the codes that
  /// take later changes back.
  mutating func loseAdditions(since epoch: Int64, in db: Database) throws {
    try db.change("DELETE FROM identity WHERE uid = ? AND epoch >= ?", [uid, epoch])
    if try db.finds("SELECT 1 FROM account WHERE uid = ? AND passwordEpoch >= ?", [uid, epoch]) { password = nil }
    if try db.finds("SELECT 1 FROM account WHERE uid = ? AND phoneEpoch >= ?", [uid, epoch]) { phoneNumber = nil }
    try db.change("DELETE FROM actionCode WHERE uid = ? AND epoch >= ?", [uid, epoch])
    try loseFactors(since: epoch, in: db)
  }

  /// Removes the factors that the user has enrolled since an epoch began, and all recovery codes.
  private func loseFactors(since epoch: Int64, in db: Database) throws {
    try db.change("DELETE FROM secondFactor WHERE uid = ? AND byUser AND epoch >= ?", [uid, epoch])
    try db.change("DELETE FROM recoveryCode WHERE uid = ?", [uid])
    try db.change("DELETE FROM pendingFactor WHERE uid = ?", [uid])
  }

  /// Gives the account an address that its user has not verified: the one rule for all calls of clients.
  ///
  /// An account without an address takes any that is free. Another account must verify the new address first, unless
  /// enumeration protection is off, as in an emulator. An account with a second factor must do so in each case.
  mutating func take(unverified address: EmailAddress, _ options: LocalOptions, in db: Database) throws {
    guard !address.belongs(to: self) else { return }
    try address.requireHonest()
    // Only the owner of the mailbox may learn that an address is taken.
    let hasFactors = try !StoredSecondFactor.all(of: uid, in: db).isEmpty
    guard !hasFactors, email == nil || !options.enumerationProtection else {
      throw AuthError(server: "EMAIL_CHANGE_NEEDS_VERIFICATION")
    }
    try StoredAccount.requireFree(address, of: tenant, in: db)
    email = address.text
    emailVerified = false
  }

  /// Refuses second factors of an account whose address is not verified: they would keep the address's owner out.
  func requireOwnerOfFactors(in db: Database) throws {
    guard email != nil && emailVerified else {
      guard try StoredSecondFactor.all(of: uid, in: db).isEmpty else { throw AuthError(server: "UNVERIFIED_EMAIL") }
      return
    }
  }
}
