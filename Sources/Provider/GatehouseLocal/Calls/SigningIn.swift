import GRDB
import GatehouseBase
import IdentityToolkit

extension SignInWithPassword: LocalCall {
  func answer(by provider: Provider) throws(AuthError) -> SignInResponse {
    try provider.signIn(EmailAddress(email), of: tenant, password)
  }
}

extension Provider {
  /// Signs in, and counts the failures.
  ///
  /// The password is hashed outside the transaction, but the outcome is decided inside it, in the order of the
  /// transactions. However many guesses run at once, none is answered once the throttle's limit is reached.
  fileprivate func signIn(
    _ email: EmailAddress, of tenant: String, _ given: Secret
  ) throws(AuthError) -> SignInResponse {
    let now = try now()
    let password = try PasswordRules.bytes(claimed: given)
    let caller = Caller.current
    let (found, failures) = try database.read { db in
      let account = try StoredAccount.find(email, of: tenant, in: db)
      let failures = try FailedSignIns(email, of: tenant, account, caller, options, at: now, in: db)
      try failures.requireFew(at: now)
      return (account, failures)
    }
    if found == nil, !options.enumerationProtection { throw AuthError(server: .emailNotFound, email: email.text) }
    let checked = try passwordChecks.check(password, found?.password)
    let token = try RefreshToken()
    let outcome = try database.write { db -> Result<Session, AuthError>? in
      var failures = try failures.again(at: now, in: db)
      try failures.requireFew(at: now)
      // Read again: the account may have been deleted during the hashing, or have another hash.
      let account = try StoredAccount.find(email, of: tenant, in: db)
      if checked.matches, account != nil, account?.password != found?.password { return nil }
      guard checked.matches, var account else {
        try failures.add(at: now, in: db)
        // Returned instead of thrown, so that the count is committed.
        return .failure(wrongPassword(email))
      }
      try account.requireEnabled()
      try failures.forget(at: now, in: db)
      if let replacement = checked.replacement { account.rehashPassword(replacement) }
      return try begin(token, of: account, by: Session.byPassword, at: now, in: db)
    }
    if let outcome { return try response(try outcome.typed(), at: now) }
    // Another sign-in has replaced the hash, or the user has changed the password: only a check of the new hash tells.
    return try signIn(email, of: tenant, given)
  }

  private func wrongPassword(_ email: EmailAddress) -> AuthError {
    AuthError(
      server: options.enumerationProtection ? .invalidLoginCredentials : .invalidPassword, email: email.text)
  }
}
