import GRDB
import GatehouseBase
import IdentityToolkit

extension Update: LocalCall {
  var authority: Authority { oobCode == nil ? .user : .code }
  func steps(_ options: LocalOptions) -> CallSteps<Response> {
    password == nil ? .sending(.changing, answer) : .hashing(isKnown, answer)
  }

  /// The transaction records what it has changed. A wrong password beside a code is a guess, as at a sign-in.
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    guard oobCode != nil, case .failure(let error) = outcome,
      error.serverWord == .invalidPassword || error.code == .tooManyRequests
    else { return [] }
    return AuditEvent.refusal(error, "password", error.email, at: now)
  }

  private func isKnown(to provider: Provider, _ caller: Caller) throws(AuthError) -> Bool {
    if let oobCode {
      let now = try provider.now()
      return try provider.database.read { db in
        let stored = try StoredActionCode.require(oobCode, of: tenant, at: now, in: db)
        let account = try stored.uid.flatMap { try StoredAccount.find(uid: $0, in: db) }
        return try provider.signIns.isKnown(caller, to: account, at: now, in: db)
      }
    }
    guard let idToken else { return false }
    return try provider.signIns.isKnown(caller, toBearerOf: idToken)
  }

  /// Whether a password beside a code is checked against a hash that costs much more than ours.
  func hasCostlyHash(by provider: Provider) throws(AuthError) -> Bool {
    guard let oobCode, password != nil else { return false }
    let now = try provider.now()
    let account = try provider.database.read { db in
      try StoredActionCode.require(oobCode, of: tenant, at: now, in: db).accountToRecover(in: db)
    }
    return provider.accounts.passwordChecks.isCostly(account.password)
  }

  private func answer(by provider: Provider) throws(AuthError) -> Answer<Response> {
    if let oobCode { return try provider.codes.apply(oobCode, with: password, of: tenant) }
    guard let idToken else { throw AuthError(server: .invalidIDToken) }
    return try update(by: provider, of: idToken)
  }

  /// Changes an account. A new password or address ends its sessions and begins a new one, whose tokens are in the
  /// answer.
  ///
  /// A former address receives a message about the change, with a code that reverts it.
  private func update(by provider: Provider, of idToken: Secret) throws(AuthError) -> Answer<Response> {
    let now = try provider.now()
    let bearer = try provider.sessions.bearer(of: idToken, in: tenantId, at: now)
    let requirements = try provider.tenants.passwordRequirements(of: bearer.tenant)
    var change = try AccountChange(self, requirements, provider.store.environment)
    let (token, caller) = (try RefreshToken(), Caller.current)
    // Checked here so that no hash is computed for a change that will be refused, and again in the transaction that
    // decides.
    try provider.database.read { db in
      let account = try bearer.account(in: db)
      if change.givesAddress(to: account) { try provider.signIns.requireFewSignUps(caller, at: now, in: db) }
      _ = try change.applied(to: account, by: bearer, at: now, in: db)
    }
    if let password {
      change.hash = try provider.accounts.hash(try PasswordRules.bytes(new: password, requirements))
    }
    let (response, session, notice) = try provider.database.write { db in
      let old = try bearer.account(in: db)
      if change.givesAddress(to: old) { try provider.signIns.countSignUp(caller, at: now, in: db) }
      let before = try AuditedState(of: old, in: db)
      var account = try change.applied(to: old, by: bearer, at: now, in: db)
      try change.unlink(from: account, in: db)
      let changes = (change.hash == nil ? [] : [.passwordChanged]) + (try before.changes(to: account, in: db))
      provider.note(changes, of: account, whenCommitted: db, at: now)
      guard change.endsSessions(of: old) else {
        try account.update(db)
        return (try Update.Response(of: account, in: db), Session?.none, OutgoingMessage?.none)
      }
      try old.forgetCodes(in: db)
      try account.revokeSessions(at: now, in: db)
      try KnownDevice.note(networkOf: caller, for: account, at: now, in: db)
      try account.update(db)
      let hasMoved = old.email.map { account.email?.isExactly($0) == false } ?? false
      // This change verifies nothing.
      let verified = try old.emailVerified ? old.verifiedEpoch(in: db) : nil
      let notice =
        hasMoved ? try provider.messages.noticeOfChange(of: account, from: old.email, verified, at: now, in: db) : nil
      let response = try Update.Response(of: account, in: db)
      guard returnSecureToken else { return (response, nil, notice) }
      let method = account.password == nil ? bearer.provider : Session.byPassword
      // The user has shown the second factor, and a new password does not affect that.
      let session = try Session(
        beginning: token, of: account, by: method, factor: bearer.factor, since: try bearer.signedIn(in: db),
        at: now, in: db)
      return (response, session, notice)
    }
    return Answer(try adding(by: provider, session, to: response, at: now), andTelling: notice)
  }

  private func adding(
    by provider: Provider, _ session: Session?, to response: Response, at now: Moment
  ) throws(AuthError) -> Response {
    var response = response
    if let session {
      response.idToken = try provider.sessions.idToken(of: session, at: now)
      response.refreshToken = session.refreshToken.secret
      response.expiresIn = DecimalString(secondsOf: provider.options.tokenLifetime)
    }
    return response
  }
}

extension Update.Response {
  /// Makes the response. Clients adopt these members as the account's new state: a missing member is removed there.
  init(of stored: StoredAccount, in db: Database) throws {
    let account = try Account(stored, in: db)
    self.init(localId: account.localId)
    email = account.email
    emailVerified = account.emailVerified
    displayName = account.displayName
    photoUrl = account.photoUrl
    providerUserInfo = account.providerUserInfo
  }
}

/// The changes of an update, checked as far as possible without the database.
private struct AccountChange: Sendable {
  private let email: EmailAddress?
  private let displayName: String??
  private let photoURL: String??
  private let setsPassword: Bool
  private let unlinked: Set<ExactText>
  private let removed: Set<Update.Attribute>
  private let environment: ProviderEnvironment
  private var options: LocalOptions {
    _read { yield environment.options }
  }
  /// The new password's hash, once it is computed.
  var hash: String?

  init(_ call: Update, _ requirements: PasswordRequirements, _ environment: ProviderEnvironment) throws(AuthError) {
    self.environment = environment
    email = try call.email.map { text throws(AuthError) in try EmailAddress(text) }
    displayName = try Self.value(.displayName, call.displayName, emptied: call.empties(.displayName))
    photoURL = try Self.value(.photoURL, call.photoUrl, emptied: call.empties(.photoURL))
    setsPassword = call.password != nil
    unlinked = (call.deleteProvider ?? []).exactly
    removed = Set(call.deleteAttribute ?? [])
    if let password = call.password { _ = try PasswordRules.bytes(new: password, requirements) }
  }

  /// Returns the account with the change made. Refuses an address that another account has, a sign-in method by
  /// password without a password or an address, and a change of the sign-in methods without a recent sign-in.
  func applied(to account: StoredAccount, by bearer: Bearer, at now: Moment, in db: Database) throws -> StoredAccount {
    let old = account
    var account = account
    let removesWay = !removed.isDisjoint(with: [.email, .password, .provider]) || !unlinked.isEmpty
    if setsPassword || removesWay || email.map({ !$0.belongs(to: old) }) ?? false {
      try bearer.requireRecentSignIn(to: old, options, in: db)
    }
    if removed.contains(.email), old.email != nil {
      guard options.allowsAddressAlone, try StoredSecondFactor.all(of: old.uid, in: db).isEmpty else {
        throw AuthError(server: .operationNotAllowed, "change the address, or delete the account", email: old.email)
      }
      // The sessions end with the change.
      (account.email, account.emailVerified, account.emailLink) = (nil, false, false)
      account.removePassword()
    }
    // Before the address is looked up: the order of two refusals would tell whether it has an account.
    if email != nil, account.passwordMethods.isEmpty, !setsPassword, !options.allowsAddressAlone,
      try !old.hasWays(in: db)
    {
      throw AuthError(server: .missingPassword, "an account without a way to sign in needs a password with its address")
    }
    if let email { try account.take(unverified: email, environment, in: db) }
    if setsPassword, account.email == nil { throw AuthError(server: .missingEmail) }
    if removed.contains(.password) || unlinked.contains(Session.byPassword) { account.removePassword() }
    if unlinked.contains(Session.byPassword) { account.emailLink = false }
    if unlinked.contains(Session.byPhone) { account.phoneNumber = nil }
    if let hash { account.setPassword(hash, at: now.milliseconds) }
    if let displayName { account.displayName = displayName }
    if let photoURL { account.photoURL = photoURL }
    return account
  }

  /// Removes the identities that the change unlinks.
  func unlink(from account: StoredAccount, in db: Database) throws {
    // A statement for each identity, not for each name: a request has room for a hundred thousand names.
    for identity in try StoredIdentity.all(of: account.uid, in: db)
    where removed.contains(.provider) || unlinked.contains(identity.provider) {
      try StoredIdentity.forget(identity.provider, of: account.uid, in: db)
    }
  }

  /// Whether the account gets another address. That counts as a sign-up, as does a refusal because it is taken.
  func givesAddress(to account: StoredAccount) -> Bool { email.map { !$0.belongs(to: account) } ?? false }

  /// Whether the change affects the address or the password.
  func endsSessions(of account: StoredAccount) -> Bool {
    hash != nil || givesAddress(to: account)
      || removed.contains(.email) && account.email != nil
  }

  /// Returns `nil` for no change, or an inner `nil` to remove the field.
  private static func value(_ field: ProfileField, _ text: String?, emptied: Bool) throws(AuthError) -> String?? {
    if emptied { return .some(nil) }
    guard let text else { return nil }
    return .some(try field.checked(text))
  }
}

extension Update {
  fileprivate func empties(_ attribute: Attribute) -> Bool { deleteAttribute?.contains(attribute) ?? false }
}
