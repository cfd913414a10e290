import GRDB
import GatehouseBase
import IdentityToolkit

extension SignInWithEmailLink: LocalCall {
  var authority: Authority { .code }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }

  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    switch outcome {
    case .success(let answer): [AuditEvent(.signIn, answer.idToken, "emailLink", email: answer.email, at: now)]
    case .failure(let error): AuditEvent.refusal(error, "emailLink", email, at: now)
    }
  }

  private func answer(by provider: Provider) throws(AuthError) -> SignInResponse {
    try signIn(by: provider, EmailAddress(email))
  }

  /// Signs in with the code of a message to an address; creates the account if there is none.
  private func signIn(by provider: Provider, _ email: EmailAddress) throws(AuthError) -> SignInResponse {
    let now = try provider.now()
    var bearer: Bearer?
    if let idToken { bearer = try provider.sessions.bearer(of: idToken, in: tenantId, at: now) }
    let token = try RefreshToken()
    let (uid, caller) = (try Identifier.make(), Caller.current)
    let (outcome, isNewUser) = try provider.database.write { [bearer] db in
      let linked = try bearer?.account(in: db)
      let tenant = linked?.tenant ?? self.tenant
      let stored = try StoredActionCode.require(oobCode, [.emailSignIn], of: tenant, at: now, in: db)
      // The link may have been forwarded; its user must know the address that it was sent to.
      guard stored.email.isExactly(email.text) else {
        throw AuthError(server: .invalidEmail, ServerWord.otherRecipient)
      }
      _ = try stored.delete(db)
      let existing = try StoredAccount.find(email, of: tenant, in: db)
      var account: StoredAccount
      if let bearer, let linked {
        account = linked
        try bearer.requireRecentSignIn(to: account, provider.options, in: db)
        guard existing == nil || email.belongs(to: account) else {
          throw AuthError(server: .emailExists, email: email.text)
        }
        guard account.email == nil || email.belongs(to: account) else {
          throw AuthError(.providerAlreadyLinked, "the account has another address", email: account.email)
        }
        if try !account.hasWays(in: db) { try account.revokeSessions(at: now, in: db) }
      } else {
        if existing == nil { try provider.signIns.countSignUp(caller, at: now, in: db) }
        account = existing ?? StoredAccount(uid: uid, of: tenant, at: now)
        try account.requireEnabled()
      }
      if let bearer {
        // The user has proved that the account is theirs, so its other ways to sign in are kept.
        account.email = email.text
        if !account.emailVerified { try account.verifyAddress(in: db) }
        account.emailLink = true
        account.lastLoginAt = now.milliseconds
        try account.save(db)
        let session = try Session(
          beginning: token, of: account, by: Session.byPassword, factor: bearer.factor, at: now, in: db)
        return (Result<Session, AuthError>.success(session), false)
      }
      if account.emailVerified { try provider.accounts.admit(account, at: now, in: db) }
      try account.prove(email, at: now, in: db)
      return (try provider.factors.begin(token, of: account, by: Session.byPassword, at: now, in: db), existing == nil)
    }
    var response = try provider.sessions.response(try outcome.typed(), at: now)
    response.isNewUser = isNewUser
    return response
  }
}

extension StoredAccount {
  /// Marks an address as the account's own, because its user has received a message at it.
  ///
  /// If the address was not verified before, everything that was there before ends.
  fileprivate mutating func prove(_ address: EmailAddress, at now: Moment, in db: Database) throws {
    if address.belongs(to: self), !emailVerified { try beginAnew(at: now, in: db) }
    email = address.text
    emailVerified = true
    emailLink = true
    try Attempts.forgetSignIns(of: address, of: tenant, in: db)
  }
}
