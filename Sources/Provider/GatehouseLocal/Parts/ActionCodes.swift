import GRDB
import GatehouseBase
import IdentityToolkit

/// The codes of messages that change an account, or take a change back.
struct ActionCodes: ProviderPart {
  let store: ProviderStore
  let accounts: Accounts
  let messages: Messages

  /// Applies a code: verifies or changes an address, or takes a change back. The code is used up in the same
  /// transaction.
  ///
  /// - Parameter password: the account's password, for a code that needs it.
  func apply(_ code: Secret, with password: Secret?, of tenant: String) throws(AuthError) -> Answer<Update.Response> {
    let (now, caller) = (try now(), Caller.current)
    let given = try password.flatMap { password throws(AuthError) in
      try check(password, with: code, of: tenant, caller, at: now)
    }
    return try database.write { db in
      let stored = try StoredActionCode.require(
        code, [.verifyEmail, .verifyAndChangeEmail, .recoverEmail, .revertSecondFactorAddition], of: tenant, at: now,
        in: db)
      if let refusal = try refusal(of: stored, given, at: now, in: db) { return refusal }
      _ = try stored.delete(db)
      let before = try stored.uid.flatMap { try StoredAccount.find(uid: $0, in: db) }
        .map { try AuditedState(of: $0, in: db) }
      let (account, notice) =
        switch stored.type {
        case .verifyEmail: try verifyAddress(by: stored, caller, in: db)
        case .verifyAndChangeEmail: try changeAddress(by: stored, at: now, in: db)
        case .recoverEmail: try takeAddressBack(by: stored, at: now, in: db)
        default: (try takeFactorAway(by: stored, at: now, in: db), nil)
        }
      if let before { try note(before.changes(to: account, in: db), of: account, whenCommitted: db, at: now) }
      // The caller reads the mail of the account's address. A code that was sent to another one shows no such thing:
      // its reader may be a stranger, who learns nothing about the account.
      guard let email = account.email,
        [stored.email, stored.newEmail].contains(where: { $0?.isExactly(email) == true })
      else { return Answer(Update.Response(localId: account.uid), andTelling: notice) }
      if account.emailVerified {
        try KnownDevice.note(networkOf: caller, for: account, isOwners: true, at: now, in: db)
      }
      return Answer(try Update.Response(of: account, in: db), andTelling: notice)
    }
  }

  private func verifyAddress(
    by stored: StoredActionCode, _ caller: Caller, in db: Database
  ) throws -> (StoredAccount, OutgoingMessage?) {
    var account = try stored.account(having: stored.email, in: db)
    // Another person may have made the account.
    if !account.emailVerified { try KnownDevice.doubtOwners(of: account, readIn: caller, in: db) }
    try account.verifyAddress(in: db)
    try account.update(db)
    return (account, nil)
  }

  private func changeAddress(
    by stored: StoredActionCode, at now: Moment, in db: Database
  ) throws -> (StoredAccount, OutgoingMessage?) {
    let old = try stored.account(having: stored.email, in: db)
    let verified = try old.emailVerified ? old.verifiedEpoch(in: db) : nil
    var account = old
    let new = stored.newEmail ?? stored.email
    try accounts.claim(EmailAddress(new), for: account, at: now, in: db)
    try account.move(to: new, at: now, in: db)
    try account.update(db)
    return (account, try messages.noticeOfChange(of: account, from: stored.email, verified, at: now, in: db))
  }

  /// Takes a change of the address back, with what was added to the account since. A code that belongs to no change
  /// empties the account, or refuses a change.
  private func takeAddressBack(
    by stored: StoredActionCode, at now: Moment, in db: Database
  ) throws -> (StoredAccount, OutgoingMessage?) {
    if stored.refusesAccount { return (try empty(by: stored, at: now, in: db), nil) }
    guard stored.newEmail != nil else { return (try refuseChange(by: stored, at: now, in: db), nil) }
    let old = try stored.accountToRecover(in: db)
    var account = old
    // The owner of an address that the account never proved proves it now, without a session.
    if stored.verifiedEpoch == nil { try account.beginAnew(at: now, in: db) }
    if old.email?.isExactly(stored.email) == true {
      account.emailVerified = true
      try account.revokeSessions(at: now, in: db)
    } else {
      try accounts.claim(EmailAddress(stored.email), for: account, at: now, in: db)
      try account.move(to: stored.email, at: now, in: db)
    }
    if let epoch = stored.epoch { try account.loseAdditions(since: epoch, in: db) }
    if let verified = stored.verifiedEpoch {
      try db.change("UPDATE account SET verifiedEpoch = ? WHERE uid = ?", [verified, account.uid])
    }
    try account.update(db)
    return (account, try messages.noticeOfRecovery(of: account, from: old, at: now, in: db))
  }

  /// Empties the account, because the owner of its address says that another person has made it.
  ///
  /// If the address is verified meanwhile, the same ends as by a password reset: a thief who reads the mailbox gets rid
  /// of nothing else by the code, and not of the second factors.
  private func empty(by stored: StoredActionCode, at now: Moment, in db: Database) throws -> StoredAccount {
    var account = try stored.account(having: stored.email, in: db)
    if account.emailVerified {
      try account.loseWaysBeforeVerification(in: db)
      _ = try account.loseFactorsBeforeVerification(in: db)
      account.removePassword()
      try account.revokeSessions(at: now, in: db)
    } else {
      try account.beginAnew(at: now, in: db)
    }
    try account.update(db)
    return account
  }

  /// Ends a change of the address that the owner of the new address has not asked for. If it is made already, the
  /// account loses the address; its former one can take it back.
  private func refuseChange(by stored: StoredActionCode, at now: Moment, in db: Database) throws -> StoredAccount {
    var account = try stored.accountToRecover(in: db)
    try StoredActionCode.forget(changesOf: account.uid, to: stored.email, in: db)
    guard account.email?.isExactly(stored.email) == true else { return account }
    try account.loseAddress(at: now, in: db)
    try account.update(db)
    return account
  }
}

extension StoredActionCode {
  /// Returns the account of a change that is taken back, whatever its current address. Refuses a code for a second
  /// factor that is gone, and one that ends another code that is gone.
  func accountToRecover(in db: Database) throws -> StoredAccount {
    guard let uid, let account = try StoredAccount.find(uid: uid, in: db) else {
      throw AuthError(server: .userNotFound)
    }
    try account.requireEnabled()
    if let factor { _ = try StoredSecondFactor.require(factor, of: uid, in: db) }
    if let stops {
      let removal = try StoredActionCode.first("SELECT * FROM actionCode WHERE hash = ?", [stops], in: db)
      guard let removal else { throw AuthError(server: .invalidOOBCode) }
      _ = try removal.accountToRecover(in: db)
    }
    return account
  }
}
