import GRDB
import GatehouseBase
import IdentityToolkit

extension SignUp: LocalCall {
  func answer(by provider: Provider) throws(AuthError) -> SignInResponse {
    let displayName = try displayName.flatMap(ProfileField.displayName.checked)
    switch (email, password, idToken) {
    case (nil, nil, nil): return try provider.signUpAnonymously(displayName, of: tenant)
    case (nil, _, _): throw AuthError(server: .missingEmail)
    case (_, nil, _): throw AuthError(server: .missingPassword)
    case (let email?, let password?, let idToken):
      let email = try EmailAddress(email)
      try email.requireHonest()
      guard let idToken else { return try provider.signUp(email, password, displayName, of: tenant) }
      return try provider.link(self, email, password, displayName, to: idToken)
    }
  }
}

extension Provider {
  /// Creates an account that has only an identifier.
  fileprivate func signUpAnonymously(
    _ displayName: String?, of tenant: String
  ) throws(AuthError) -> SignInResponse {
    let now = try now()
    let token = try RefreshToken()
    var account = StoredAccount(uid: try Identifier.make(), of: tenant, at: now)
    account.displayName = displayName
    let caller = Caller.current
    let session = try database.write { db in
      try countSignUp(caller, at: now, in: db)
      try account.insert(db)
      return try Session(beginning: token, of: account, by: Session.anonymous, at: now, in: db)
    }
    return try response(session, at: now)
  }

  /// Creates an account with an address and a password. Of several concurrent calls for one address, exactly one
  /// succeeds.
  fileprivate func signUp(
    _ email: EmailAddress, _ password: Secret, _ displayName: String?, of tenant: String
  ) throws(AuthError) -> SignInResponse {
    let now = try now()
    let password = try PasswordRules.bytes(new: password, options.passwordRequirements)
    let caller = Caller.current
    // Checked here so that no hash is computed in vain, and again in the transaction that decides.
    try countingTold(caller, at: now) { () throws(AuthError) in
      try database.read { db in
        try requireFewSignUps(caller, at: now, in: db)
        try StoredAccount.requireFree(email, of: tenant, in: db)
      }
    }
    let token = try RefreshToken()
    var account = StoredAccount(uid: try Identifier.make(), of: tenant, at: now)
    account.email = email.text
    account.setPassword(try hash(password), at: now.milliseconds)
    account.displayName = displayName
    let session = try database.write { db in
      try StoredAccount.requireFree(email, of: tenant, in: db)
      try countSignUp(caller, at: now, in: db)
      try account.insert(db)
      return try Session(beginning: token, of: account, by: Session.byPassword, at: now, in: db)
    }
    return try response(session, at: now)
  }

  /// Gives an account without a password an address and a password. Its earlier sessions end, because they were of
  /// another kind.
  fileprivate func link(
    _ call: SignUp, _ email: EmailAddress, _ password: Secret, _ displayName: String?, to idToken: Secret
  ) throws(AuthError) -> SignInResponse {
    let now = try now()
    let password = try PasswordRules.bytes(new: password, options.passwordRequirements)
    let bearer = try bearer(of: idToken, at: now)
    let caller = Caller.current
    let isNew = try countingTold(caller, at: now) { () throws(AuthError) in
      try database.read { db in
        try requireFewSignUps(caller, at: now, in: db)
        return !email.belongs(to: try linkable(call, bearer, email, in: db))
      }
    }
    let hash = try hash(password)
    let token = try RefreshToken()
    let session = try database.write { db in
      var account = try linkable(call, bearer, email, in: db)
      if isNew { try countSignUp(caller, at: now, in: db) }
      let hadWays = try account.hasWays(in: db)
      try account.take(unverified: email, options, in: db)
      account.setPassword(hash, at: now.milliseconds)
      account.displayName = displayName ?? account.displayName
      account.lastLoginAt = now.milliseconds
      try account.revokeSessions(at: now, in: db)
      try account.update(db)
      return try Session(
        beginning: token, of: account, by: Session.byPassword, factor: bearer.factor,
        since: hadWays ? try bearer.signedIn(in: db) : nil, at: now, in: db)
    }
    return try response(session, at: now)
  }

  /// Returns the bearer's account, if it has no password yet, and the address is free or already the account's.
  private func linkable(
    _ call: SignUp, _ bearer: Bearer, _ email: EmailAddress, in db: Database
  ) throws -> StoredAccount {
    let account = try bearer.account(of: call, in: db)
    guard account.password == nil else {
      throw AuthError(
        .providerAlreadyLinked, "the account has an address and a password; change them with an update",
        email: account.email)
    }
    try bearer.requireRecentSignIn(to: account, options, in: db)
    if email.belongs(to: account) { return account }
    // A change of the address must be verified first, and the former address must receive a message. Linking does
    // neither.
    guard account.email == nil else {
      throw AuthError(
        .providerAlreadyLinked, "the account has another address; link a password for that one, or change it first",
        email: account.email)
    }
    var changed = account
    try changed.take(unverified: email, options, in: db)
    return account
  }
}
