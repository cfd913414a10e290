import GRDB
import GatehouseBase
import IdentityToolkit

extension SignInWithPassword: LocalCall {
  var authority: Authority { .stranger }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .hashing(ifKnown: isKnown, answer) }

  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    switch outcome {
    case .success(let answer): [AuditEvent(.signIn, answer.idToken, "password", email: answer.email, at: now)]
    case .failure(let error): AuditEvent.refusal(error, "password", email, at: now)
    }
  }

  private func isKnown(to provider: Provider, _ caller: Caller) throws(AuthError) -> Bool {
    let (email, now) = (try EmailAddress(email), try provider.now())
    return try provider.database.read { db in
      let account = try StoredAccount.find(email, of: tenant, in: db)
      return try provider.signIns.isKnown(caller, to: account, at: now, in: db)
    }
  }

  /// Whether the account's hash costs much more than ours.
  func hasCostlyHash(by provider: Provider) throws(AuthError) -> Bool {
    let email = try EmailAddress(email)
    let account = try provider.database.read { db in try StoredAccount.find(email, of: tenant, in: db) }
    return provider.accounts.passwordChecks.isCostly(account?.password)
  }

  private func answer(by provider: Provider) throws(AuthError) -> SignInResponse {
    try signIn(by: provider, EmailAddress(email))
  }

  /// Signs in, and counts the failures.
  ///
  /// The password is hashed outside the transaction, but the outcome is decided inside it, in the order of the
  /// transactions. However many guesses run at once, none is answered once the throttle's limit is reached.
  private func signIn(by provider: Provider, _ email: EmailAddress) throws(AuthError) -> SignInResponse {
    let now = try provider.now()
    let password = try PasswordRules.bytes(claimed: self.password)
    let caller = Caller.current
    let (found, failures) = try provider.database.read { db in
      let account = try StoredAccount.find(email, of: tenant, in: db)
      let failures = try FailedSignIns(email, of: tenant, account, caller, provider.options, at: now, in: db)
      try failures.requireFew(at: now)
      return (account, failures)
    }
    if found == nil, !provider.hidesAccounts(of: tenant) {
      try provider.database.write { db in
        var failures = try failures.again(at: now, in: db)
        try failures.requireFew(at: now)
        try failures.add(at: now, in: db)
      }
      throw AuthError(server: .emailNotFound, email: email.text)
    }
    let checked = try provider.accounts.passwordChecks.check(password, found?.password, of: found?.uid)
    let token = try RefreshToken()
    let outcome = try provider.database.write { db -> Result<Session, AuthError>? in
      var failures = try failures.again(at: now, in: db)
      try failures.requireFew(at: now)
      // Read again: the account may have been deleted during the hashing, or have another hash.
      let account = try StoredAccount.find(email, of: tenant, in: db)
      if checked.matches, account != nil, account?.password != found?.password { return nil }
      guard checked.matches, var account else {
        try failures.add(at: now, in: db)
        // Returned instead of thrown, so that the count is committed.
        return .failure(wrongPassword(by: provider, email))
      }
      try account.requireEnabled()
      let tenantRules = account.tenant.isEmpty ? nil : try TenantRules(of: account.tenant, in: db)
      let requirements = try tenantRules?.passwordRequirements ?? provider.options.passwordRequirements
      try PasswordRules.require(atSignIn: self.password, requirements)
      try failures.forget(at: now, in: db)
      if let replacement = checked.replacement { account.rehashPassword(replacement) }
      return try provider.factors.begin(
        token, of: account, by: Session.byPassword, isByPassword: true, at: now, in: db)
    }
    if let outcome { return try provider.sessions.response(try outcome.typed(), at: now) }
    // Another sign-in has replaced the hash, or the user has changed the password: only a check of the new hash tells.
    return try signIn(by: provider, email)
  }

  private func wrongPassword(by provider: Provider, _ email: EmailAddress) -> AuthError {
    AuthError(
      server: provider.hidesAccounts(of: tenant) ? .invalidLoginCredentials : .invalidPassword, email: email.text)
  }
}
