import GRDB
import GatehouseBase
import IdentityToolkit

extension SignUp: LocalCall {
  var authority: Authority { idToken == nil ? .stranger : .user }
  func steps(_ options: LocalOptions) -> CallSteps<Response> {
    password == nil ? .plain(.changing, answer) : .hashing(ifKnown: isKnown, answer)
  }

  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    guard case .success(let answer) = outcome else { return [] }
    let method = email == nil ? "anonymous" : "password"
    return [AuditEvent(.signUp, answer.idToken, method, email: answer.email, at: now)]
  }

  /// A new account knows no caller.
  private func isKnown(to provider: Provider, _ caller: Caller) throws(AuthError) -> Bool {
    guard let idToken else { return false }
    return try provider.signIns.isKnown(caller, toBearerOf: idToken)
  }

  private func answer(by provider: Provider) throws(AuthError) -> SignInResponse {
    let displayName = try displayName.flatMap(ProfileField.displayName.checked)
    switch (email, password, idToken) {
    case (nil, nil, nil): return try signUpAnonymously(by: provider, displayName)
    case (nil, _, _): throw AuthError(server: .missingEmail)
    case (_, nil, _): throw AuthError(server: .missingPassword)
    case (let email?, let password?, let idToken):
      let email = try EmailAddress(email)
      try email.requireHonest()
      guard let idToken else { return try signUp(by: provider, email, password, displayName) }
      return try link(by: provider, email, password, displayName, to: idToken)
    }
  }

  /// Creates an account that has only an identifier.
  private func signUpAnonymously(by provider: Provider, _ displayName: String?) throws(AuthError) -> SignInResponse {
    let now = try provider.now()
    let token = try RefreshToken()
    var account = StoredAccount(uid: try Identifier.make(), of: tenant, at: now)
    account.displayName = displayName
    let caller = Caller.current
    let session = try provider.database.write { db in
      try provider.signIns.countSignUp(caller, at: now, in: db)
      try account.insert(db)
      return try Session(beginning: token, of: account, by: Session.anonymous, at: now, in: db)
    }
    return try provider.sessions.response(session, at: now)
  }

  /// Creates an account with an address and a password. Of several concurrent calls for one address, exactly one
  /// succeeds.
  private func signUp(
    by provider: Provider, _ email: EmailAddress, _ password: Secret, _ displayName: String?
  ) throws(AuthError) -> SignInResponse {
    let now = try provider.now()
    let password = try PasswordRules.bytes(new: password, provider.tenants.passwordRequirements(of: tenant))
    let caller = Caller.current
    // Checked here so that no hash is computed in vain, and again in the transaction that decides.
    try provider.database.read { db in
      try provider.signIns.requireFewSignUps(caller, at: now, in: db)
      try StoredAccount.requireFree(email, of: tenant, in: db)
    }
    let token = try RefreshToken()
    var account = StoredAccount(uid: try Identifier.make(), of: tenant, at: now)
    account.email = email.text
    account.setPassword(try provider.accounts.hash(password), at: now.milliseconds)
    account.displayName = displayName
    let session = try provider.database.write { db in
      try StoredAccount.requireFree(email, of: tenant, in: db)
      try provider.signIns.countSignUp(caller, at: now, in: db)
      try account.insert(db)
      return try Session(beginning: token, of: account, by: Session.byPassword, at: now, in: db)
    }
    return try provider.sessions.response(session, at: now)
  }

  /// Gives an account without a password an address and a password. Its earlier sessions end, because they were of
  /// another kind.
  private func link(
    by provider: Provider, _ email: EmailAddress, _ password: Secret, _ displayName: String?, to idToken: Secret
  ) throws(AuthError) -> SignInResponse {
    let now = try provider.now()
    let bearer = try provider.sessions.bearer(of: idToken, in: tenantId, at: now)
    let password = try PasswordRules.bytes(new: password, provider.tenants.passwordRequirements(of: bearer.tenant))
    let caller = Caller.current
    let isNew = try provider.database.read { db in
      try provider.signIns.requireFewSignUps(caller, at: now, in: db)
      return !email.belongs(to: try linkable(by: provider, bearer, email, in: db))
    }
    let hash = try provider.accounts.hash(password)
    let token = try RefreshToken()
    let session = try provider.database.write { db in
      var account = try linkable(by: provider, bearer, email, in: db)
      if isNew { try provider.signIns.countSignUp(caller, at: now, in: db) }
      let hadWays = try account.hasWays(in: db)
      try account.take(unverified: email, provider.store.environment, in: db)
      account.setPassword(hash, at: now.milliseconds)
      account.displayName = displayName ?? account.displayName
      account.lastLoginAt = now.milliseconds
      try account.revokeSessions(at: now, in: db)
      try account.update(db)
      return try Session(
        beginning: token, of: account, by: Session.byPassword, factor: bearer.factor,
        since: hadWays ? try bearer.signedIn(in: db) : nil, at: now, in: db)
    }
    return try provider.sessions.response(session, at: now)
  }

  /// Returns the bearer's account, if it has no password yet, and the address is free or already the account's.
  private func linkable(
    by provider: Provider, _ bearer: Bearer, _ email: EmailAddress, in db: Database
  ) throws -> StoredAccount {
    let account = try bearer.account(in: db)
    guard account.password == nil else {
      throw AuthError(
        .providerAlreadyLinked, "the account has an address and a password; change them with an update",
        email: account.email)
    }
    try bearer.requireRecentSignIn(to: account, provider.options, in: db)
    if email.belongs(to: account) { return account }
    // A change of the address must be verified first, and the former address must receive a message. Linking does
    // neither.
    guard account.email == nil else {
      throw AuthError(
        .providerAlreadyLinked, "the account has another address; link a password for that one, or change it first",
        email: account.email)
    }
    var changed = account
    try changed.take(unverified: email, provider.store.environment, in: db)
    return account
  }
}
