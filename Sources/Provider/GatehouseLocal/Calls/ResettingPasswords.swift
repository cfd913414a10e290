import GRDB
import GatehouseBase
import IdentityToolkit

extension ResetPassword: LocalCall {
  var authority: Authority { .code }
  func steps(_ options: LocalOptions) -> CallSteps<Response> {
    newPassword == nil ? .plain(.changing, answer) : .hashing(ifKnown: isKnown, answer)
  }

  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    guard newPassword != nil, case .success(let answer) = outcome else { return [] }
    var event = AuditEvent(.passwordReset, at: now)
    event["email"] = answer.email
    return [event]
  }

  /// A caller with a code that is still good has read the account's mail.
  private func isKnown(to provider: Provider, _ caller: Caller) throws(AuthError) -> Bool {
    let now = try provider.now()
    _ = try provider.database.read { db in try resettable(at: now, in: db) }
    return true
  }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    guard let newPassword else { return try check(by: provider) }
    return try resetPassword(by: provider, to: newPassword)
  }

  /// Returns the purpose of a code, without using it up.
  private func check(by provider: Provider) throws(AuthError) -> Response {
    let now = try provider.now()
    let stored = try provider.database.read { db in
      let stored = try StoredActionCode.require(oobCode, of: tenant, at: now, in: db)
      switch stored.type {
      case .emailSignIn: break
      case .recoverEmail where stored.refusesAccount: _ = try stored.account(having: stored.email, in: db)
      case .recoverEmail, .revertSecondFactorAddition: _ = try stored.accountToRecover(in: db)
      default: _ = try stored.account(having: stored.email, in: db)
      }
      return stored
    }
    // A link that signs in proves nothing to a person who does not know its address.
    let email = stored.type == .emailSignIn ? nil : stored.email
    return Response(requestType: stored.type, email: email, newEmail: stored.newEmail)
  }

  /// Sets a password. The message has reached the account's address, so the address is verified. All sessions end. The
  /// count of failed sign-ins is reset. That of second-factor failures is kept: a second factor protects the account from
  /// whoever reads its mail, who would otherwise guess without a limit.
  private func resetPassword(by provider: Provider, to password: Secret) throws(AuthError) -> Response {
    let now = try provider.now()
    let password = try PasswordRules.bytes(new: password, provider.tenants.passwordRequirements(of: tenant))
    // Checked here so that no hash is computed for an invalid code, and again in the transaction that decides.
    _ = try provider.database.read { db in try resettable(at: now, in: db) }
    let (hash, caller) = (try provider.accounts.hash(password), Caller.current)
    let email = try provider.database.write { db in
      var (stored, account) = try resettable(at: now, in: db)
      if account.emailVerified {
        try account.loseWaysBeforeVerification(in: db)
        try provider.accounts.admit(account, at: now, in: db)
      } else {
        try account.beginAnew(at: now, in: db)
      }
      account.setPassword(hash, at: now.milliseconds)
      account.emailVerified = true
      // The code itself is deleted with all the others.
      try account.revokeSessions(at: now, in: db)
      try StoredActionCode.forgetRefusals(of: account, in: db)
      try KnownDevice.note(networkOf: caller, for: account, isOwners: true, at: now, in: db)
      try account.update(db)
      try Attempts.forgetSignIns(of: EmailAddress(stored.email), of: tenant, in: db)
      return stored.email
    }
    return Response(requestType: .passwordReset, email: email)
  }

  private func resettable(at now: Moment, in db: Database) throws -> (StoredActionCode, StoredAccount) {
    let stored = try StoredActionCode.require(oobCode, [.passwordReset], of: tenant, at: now, in: db)
    return (stored, try stored.account(having: stored.email, in: db))
  }
}
