import GRDB
import GatehouseBase
import IdentityToolkit

// The codes of messages about a new second factor (decision 147). `CodeLifetimes` has the times.
//
//     a code that takes a factor away is used      then
//     soon after the enrollment                    the factor is removed
//     later, with the account's password           the factor is removed
//     later, for the first time without it         the waiting time begins, with a message that has a code to stop it
//     before the waiting time is over              the call is refused
//     after the waiting time                       the factor is removed
extension ActionCodes {
  /// A password that was given with a code, and what it was compared with.
  struct GivenPassword: Sendable {
    let failures: FailedSignIns
    let hash: String?
    let isRight: Bool
  }

  /// Compares a password with that of a code's account, at the same cost as a sign-in. `nil` for a code that needs no
  /// password.
  func check(
    _ password: Secret, with code: Secret, of tenant: String, _ caller: Caller, at now: Moment
  ) throws(AuthError) -> GivenPassword? {
    let found = try database.read { db -> (FailedSignIns, StoredAccount)? in
      let stored = try StoredActionCode.require(code, of: tenant, at: now, in: db)
      guard stored.isDelayed(at: now) else { return nil }
      let account = try stored.accountToRecover(in: db)
      let email = try EmailAddress(account.email ?? stored.email)
      let failures = try FailedSignIns(email, of: tenant, account, caller, options, at: now, in: db)
      try failures.requireFew(at: now)
      return (failures, account)
    }
    guard let (failures, account) = found else { return nil }
    let claimed = try PasswordRules.bytes(claimed: password)
    let checked = try accounts.passwordChecks.check(claimed, account.password, of: account.uid)
    return GivenPassword(failures: failures, hash: account.password, isRight: checked.matches)
  }

  /// Returns the refusal of a code that does not remove its factor now; `nil` for any other code. The refusal is an
  /// answer, so that what it counts and begins is committed.
  func refusal(
    of stored: StoredActionCode, _ given: GivenPassword?, at now: Moment, in db: Database
  ) throws -> Answer<Update.Response>? {
    guard stored.isDelayed(at: now) else { return nil }
    let account = try stored.accountToRecover(in: db)
    if let given {
      var failures = try given.failures.again(at: now, in: db)
      try failures.requireFew(at: now)
      guard given.isRight, given.hash == account.password else {
        try failures.add(at: now, in: db)
        return Answer(refusing: AuthError(server: .invalidPassword, email: account.email))
      }
      try failures.forget(at: now, in: db)
      return nil
    }
    if let removesAt = stored.removesAt {
      return removesAt <= now.seconds ? nil : Answer(refusing: delayed(until: removesAt, at: now))
    }
    let removesAt = now.seconds + options.codeLifetimes.secondFactorWait.wholeSeconds
    guard removesAt < stored.expires, account.emailVerified else {
      return Answer(refusing: AuthError(server: .secondFactorRemovalDelayed, "give the account's password with it"))
    }
    var waiting = stored
    waiting.removesAt = removesAt
    try waiting.update(db)
    let notice = try messages.noticeOfRemoval(by: waiting, from: account, at: now, in: db)
    return Answer(refusing: delayed(until: removesAt, at: now), andTelling: notice)
  }

  private func delayed(until removesAt: Int64, at now: Moment) -> AuthError {
    AuthError(
      server: .secondFactorRemovalDelayed,
      "give the account's password with it, or use it again after \(Moment(seconds: removesAt).rfc3339)",
      retryAfter: .seconds(removesAt - now.seconds))
  }

  /// Removes the factor of a code, or ends the code that would remove one.
  func takeFactorAway(by stored: StoredActionCode, at now: Moment, in db: Database) throws -> StoredAccount {
    var account = try stored.accountToRecover(in: db)
    if let stopped = stored.stops {
      try db.change("DELETE FROM actionCode WHERE hash = ?", [stopped])
      return account
    }
    _ = try StoredSecondFactor.require(stored.factor ?? "", of: account.uid, in: db).delete(db)
    if try StoredSecondFactor.all(of: account.uid, in: db).isEmpty {
      try StoredSecondFactor.forgetAll(of: account.uid, in: db)
    }
    try account.revokeSessions(at: now, in: db)
    try account.update(db)
    return account
  }
}

extension StoredActionCode {
  /// Whether the code takes a factor away that was enrolled so long ago that the code alone does so no longer.
  fileprivate func isDelayed(at now: Moment) -> Bool { aloneUntil.map { $0 <= now.seconds } ?? false }
}
