import GRDB
import GatehouseBase
import IdentityToolkit

extension ResetPassword: LocalCall {
  func answer(by provider: Provider) throws(AuthError) -> Response {
    guard let newPassword else { return try provider.check(oobCode, of: tenant) }
    return try provider.resetPassword(with: oobCode, of: tenant, to: newPassword)
  }
}

extension Provider {
  /// Returns the purpose of a code, without using it up.
  fileprivate func check(_ code: Secret, of tenant: String) throws(AuthError) -> ResetPassword.Response {
    let now = try now()
    let stored = try database.read { db in
      let stored = try StoredActionCode.require(code, of: tenant, at: now, in: db)
      switch stored.type {
      case .emailSignIn: break
      case .recoverEmail, .revertSecondFactorAddition: _ = try stored.accountToRecover(in: db)
      default: _ = try stored.account(having: stored.email, in: db)
      }
      return stored
    }
    // A link that signs in proves nothing to a person who does not know its address.
    let email = stored.type == .emailSignIn ? nil : stored.email
    return ResetPassword.Response(requestType: stored.type, email: email, newEmail: stored.newEmail)
  }

  /// Sets a password. The message has reached the account's address, so the address is verified. All sessions end. The
  /// count of failed sign-ins is reset. That of second-factor failures is kept: a second factor protects the account from
  /// whoever reads its mail, who would otherwise guess without a limit.
  fileprivate func resetPassword(
    with code: Secret, of tenant: String, to password: Secret
  ) throws(AuthError) -> ResetPassword.Response {
    let now = try now()
    let password = try PasswordRules.bytes(new: password, options.passwordRequirements)
    // Checked here so that no hash is computed for an invalid code, and again in the transaction that decides.
    _ = try database.read { db in try resettable(code, of: tenant, at: now, in: db) }
    let (hash, caller) = (try hash(password), Caller.current)
    let email = try database.write { db in
      var (stored, account) = try resettable(code, of: tenant, at: now, in: db)
      if account.emailVerified {
        try account.loseWaysBeforeVerification(in: db)
        try admit(account, at: now, in: db)
      } else {
        try account.beginAnew(at: now, in: db)
      }
      account.setPassword(hash, at: now.milliseconds)
      account.emailVerified = true
      // The code itself is deleted with all the others.
      try account.revokeSessions(at: now, in: db)
      try KnownDevice.note(networkOf: caller, for: account, at: now, in: db)
      try account.update(db)
      try Attempts.forgetSignIns(of: EmailAddress(stored.email), of: tenant, in: db)
      return stored.email
    }
    return ResetPassword.Response(requestType: .passwordReset, email: email)
  }

  private func resettable(
    _ code: Secret, of tenant: String, at now: Moment, in db: Database
  ) throws -> (StoredActionCode, StoredAccount) {
    let stored = try StoredActionCode.require(code, [.passwordReset], of: tenant, at: now, in: db)
    return (stored, try stored.account(having: stored.email, in: db))
  }
}
