import GRDB
import GatehouseBase
import IdentityToolkit

// Who owns an account (decisions 95 and 105).
//
//     the address is proved                       what was there before
//     without a session, and was not verified     ends: ways to sign in, sessions, codes, changes, devices
//     without a session, and was verified         stays, except for second factors that are older than a verification
//                                                 by mail; after a reset, older phones and identities end as well
//     by a code that takes a change back          ends, if the address was not verified; else what was added since
//     by "not me" in a verification               ends, if it is not verified yet; else what a reset ends
//     with a living session's ID token            stays
//     by the code that verifies it                stays, except for the other codes
//     for another account                         stays; the address, the password and the sessions end
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
    removePassword()
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

  /// Gives the account an address that a message has reached. Its sessions end. Another person may have followed the
  /// link: what the account has now is marked as older than the verification.
  mutating func move(to new: String, at now: Moment, in db: Database) throws {
    try revokeSessions(at: now, in: db)
    // The epoch ends with the change.
    try db.change("UPDATE account SET verifiedEpoch = epoch + 1 WHERE uid = ?", [uid])
    email = new
    emailVerified = true
  }

  /// The first epoch after the verification of the address by a message.
  func verifiedEpoch(in db: Database) throws -> Int64 {
    try Int64.fetchOne(db, sql: "SELECT verifiedEpoch FROM account WHERE uid = ?", arguments: [uid]) ?? 0
  }

  /// Whether the account loses its address to another one whose user proves the address: its own user never has.
  func yields(to other: StoredAccount) -> Bool { !emailVerified && !uid.isExactly(other.uid) }

  /// Takes the address away, with the ways to sign in by it. The sessions end, because their tokens name the address.
  mutating func loseAddress(at now: Moment, in db: Database) throws {
    try revokeSessions(at: now, in: db)
    (email, emailVerified) = (nil, false)
    removePassword()
    emailLink = false
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
    if try db.finds("SELECT 1 FROM account WHERE uid = ? AND passwordEpoch >= ?", [uid, epoch]) { removePassword() }
    if try db.finds("SELECT 1 FROM account WHERE uid = ? AND phoneEpoch >= ?", [uid, epoch]) { phoneNumber = nil }
    try db.change("DELETE FROM actionCode WHERE uid = ? AND epoch >= ?", [uid, epoch])
    try loseFactors(since: epoch, in: db)
  }

  /// Removes the factors that the user has enrolled before a message verified the address: another person may have
  /// moved the account here to keep the owner of the address out.
  ///
  /// - Returns: Whether there were any.
  func loseFactorsBeforeVerification(in db: Database) throws -> Bool {
    try db.change(
      "DELETE FROM secondFactor WHERE uid = ? AND byUser AND epoch < (SELECT verifiedEpoch FROM account WHERE uid = ?)",
      [uid, uid])
    guard db.changesCount > 0 else { return false }
    guard try !StoredSecondFactor.all(of: uid, in: db).isEmpty else {
      try StoredSecondFactor.forgetAll(of: uid, in: db)
      return true
    }
    try forgetRecovery(in: db)
    return true
  }

  /// Removes the factors that the user has enrolled since an epoch began, and all recovery codes.
  private func loseFactors(since epoch: Int64, in db: Database) throws {
    try db.change("DELETE FROM secondFactor WHERE uid = ? AND byUser AND epoch >= ?", [uid, epoch])
    try forgetRecovery(in: db)
  }

  /// Removes the recovery codes, and the enrollments that have begun.
  private func forgetRecovery(in db: Database) throws {
    try db.change("DELETE FROM recoveryCode WHERE uid = ?", [uid])
    try db.change("DELETE FROM pendingFactor WHERE uid = ?", [uid])
  }

  /// Gives the account an address that its user has not verified: the one rule for all calls of clients.
  ///
  /// An account without an address takes any that is free. Another account must verify the new address first, unless
  /// enumeration protection is off, as in an emulator. An account with a second factor must do so in each case.
  ///
  /// - Parameter environment: the provider's, which says whether the account's tenant has enumeration protection.
  mutating func take(unverified address: EmailAddress, _ environment: ProviderEnvironment, in db: Database) throws {
    guard !address.belongs(to: self) else { return }
    try address.requireHonest()
    // Only the owner of the mailbox may learn that an address is taken.
    let hasFactors = try !StoredSecondFactor.all(of: uid, in: db).isEmpty
    guard !hasFactors, email == nil || !environment.hidesAccounts(of: tenant) else {
      throw AuthError(server: .emailChangeNeedsVerification)
    }
    try StoredAccount.requireFree(address, of: tenant, in: db)
    email = address.text
    emailVerified = false
  }

  /// Refuses second factors of an account whose address is not verified: they would keep the address's owner out.
  func requireOwnerOfFactors(in db: Database) throws {
    guard email != nil && emailVerified else {
      guard try StoredSecondFactor.all(of: uid, in: db).isEmpty else { throw AuthError(server: .unverifiedEmail) }
      return
    }
  }
}
