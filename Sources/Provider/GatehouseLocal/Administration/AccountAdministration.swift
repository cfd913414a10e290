import GRDB
import GatehouseBase
import IdentityToolkit

/// The administrator's changes of accounts. Each is on the disk in the audit log before it is committed.
struct AccountAdministration: ProviderPart {
  let store: ProviderStore
  let accounts: Accounts
  let tenants: Tenants

  /// Returns a page of accounts in the order of their identifiers, compared as bytes.
  func accounts(of tenantID: String?, after uid: String?, limit: Int) throws(AuthError) -> [AccountRecord] {
    if let tenantID { try tenants.require(tenantID) }
    let records = try database.read { db in
      let stored = try StoredAccount.fetchAll(
        db, sql: "SELECT * FROM account WHERE uid > ? AND (? IS NULL OR tenant = ?) ORDER BY uid LIMIT ?",
        arguments: [uid ?? "", tenantID, tenantID, limit])
      return try stored.map { try record($0, in: db) }
    }
    let now = try now()
    try audit.record(.given(.accountsRead, records.count, of: tenantID ?? "", at: now), at: now)
    return records
  }

  func account(_ name: AccountName) throws(AuthError) -> AccountRecord {
    try database.read { db in try record(StoredAccount.require(name, in: db), in: db) }
  }

  func create(_ draft: AccountDraft) throws(AuthError) -> AccountRecord {
    let now = try now()
    if let tenantID = draft.tenantID { try tenants.require(tenantID) }
    var uid = try Identifier.make()
    if let given = draft.uid {
      try Identifier.check(given)
      uid = given
    }
    var account = StoredAccount(uid: uid, of: draft.tenantID ?? "", at: now)
    account.lastLoginAt = 0
    let email = try draft.email.map { text throws(AuthError) in try EmailAddress(text) }
    try email?.requireHonest()
    account.email = email?.text
    account.emailVerified = draft.isEmailVerified
    account.displayName = try draft.displayName.flatMap(ProfileField.displayName.checked)
    account.photoURL = try draft.photoURL.flatMap(ProfileField.photoURL.checked)
    account.phoneNumber = try draft.phoneNumber.map { text throws(AuthError) in try PhoneNumber(text).text }
    account.disabled = draft.isDisabled
    if !draft.claims.isEmpty { try account.setClaims(draft.claims) }
    let factors = try PhoneFactorList(draft.phoneFactors)
    if let password = draft.password {
      guard email != nil || draft.allowsPasswordAlone else { throw AuthError(server: .missingEmail) }
      let bytes = try PasswordRules.bytes(new: password, tenants.passwordRequirements(of: account.tenant))
      // Checked here so that no hash is computed for a taken address, and again in the transaction that decides.
      try database.read { [account] db in try requireNew(account, email, in: db) }
      account.setPassword(try accounts.hash(bytes), at: now.milliseconds)
    }
    return try database.write { [account] db in
      try requireNew(account, email, in: db)
      try account.insert(db)
      try factors.replaceFactors(of: account, at: now, in: db)
      try account.requireOwnerOfFactors(in: db)
      try audit.record(
        AuditEvent(.accountCreated, of: account, changed: try changes(to: account, in: db), at: now), at: now)
      return try record(account, in: db)
    }
  }

  func update(_ name: AccountName, _ edit: AccountEdit) throws(AuthError) -> AccountRecord {
    let now = try now()
    let email = try edit.email.map { text throws(AuthError) in try EmailAddress(text) }
    let displayName = try edit.displayName.map { text throws(AuthError) in try ProfileField.displayName.checked(text) }
    let photoURL = try edit.photoURL.map { text throws(AuthError) in try ProfileField.photoURL.checked(text) }
    let phone = try edit.phoneNumber.map { text throws(AuthError) in text.isEmpty ? nil : try PhoneNumber(text).text }
    let factors = try edit.factors.map { list throws(AuthError) in try PhoneFactorList(list) }
    var hash: String?
    if let password = edit.password {
      let tenant = try database.read { db in try StoredAccount.require(name, in: db).tenant }
      let requirements = try tenants.passwordRequirements(of: tenant)
      hash = try accounts.hash(try PasswordRules.bytes(new: password, requirements))
    }
    let event: AuditEvent.Kind =
      switch edit.isDisabled {
      case true?: .accountDisabled
      case false?: .accountEnabled
      case nil: .accountUpdated
      }
    return try change(name, event, at: now) { [hash] account, db in
      let old = account
      if let email, !email.belongs(to: old) {
        try email.requireHonest()
        try StoredAccount.requireFree(email, of: old.tenant, in: db)
        account.email = email.text
        account.emailVerified = false
      }
      if let hash {
        guard account.email != nil else { throw AuthError(server: .missingEmail) }
        account.setPassword(hash, at: now.milliseconds)
      }
      if let isVerified = edit.isEmailVerified { account.emailVerified = isVerified }
      if let displayName { account.displayName = displayName }
      if let photoURL { account.photoURL = photoURL }
      if let phone {
        try account.setPhone(phone, in: db)
      }
      if let isDisabled = edit.isDisabled { try account.setDisabled(isDisabled, at: now, in: db) }
      if let claims = edit.claims { try account.setClaims(claims) }
      try account.lose(edit.removedMethods, in: db)
      try account.lose(edit.removedAttributes, at: now, in: db)
      if let identity = edit.identity { try account.link(identity, in: db) }
      try factors?.replaceFactors(of: account, at: now, in: db)
      if factors != nil || edit.validSince != nil { try StoredActionCode.forgetFactorRemovals(of: account, in: db) }
      let changesFactors =
        factors != nil || !account.email.isExactly(old.email) || account.emailVerified != old.emailVerified
      if changesFactors { try account.requireOwnerOfFactors(in: db) }
      try account.revoke(before: edit.validSince, at: now, in: db)
      // Also for the same address: a thief may have taken it away and given it back, and hold a code from between.
      if email != nil || edit.removedAttributes.contains(.email) {
        try StoredActionCode.forgetWaysBack(of: account, in: db)
      }
      guard hash != nil || email.map({ !$0.belongs(to: old) }) ?? false else { return }
      // The codes of messages to the former address are deleted with it.
      try old.forgetCodes(in: db)
      try account.revokeSessions(at: now, in: db)
      if hash != nil, let email = account.email {
        try Attempts.forgetSignIns(of: EmailAddress(email), of: account.tenant, in: db)
        try Attempts.forget(.secondFactor, account.uid, in: db)
      }
    }
  }

  func delete(_ name: AccountName) throws(AuthError) -> AccountRecord {
    let now = try now()
    return try database.write { db in
      let account = try StoredAccount.require(name, in: db)
      let record = try record(account, in: db)
      try account.remove(in: db)
      try audit.record(AuditEvent(.accountDeleted, of: account, byAdministrator: true, at: now), at: now)
      return record
    }
  }

  func deleteAccounts(of tenant: String) throws(AuthError) {
    let now = try now()
    try database.write { db in
      let accounts = try StoredAccount.every("SELECT * FROM account WHERE tenant = ?", [tenant], in: db)
      for account in accounts { try account.remove(in: db) }
      try audit.record(accounts.map { AuditEvent(.accountDeleted, of: $0, at: now) }, at: now)
    }
  }

  func usable(_ codes: [Secret], of tenant: String) throws(AuthError) -> Set<Secret> {
    let now = try now()
    return try database.read { db in
      Set(
        try codes.filter { code in
          let hash = try ActionCode.hash(code)
          return try db.finds(
            """
            SELECT 1 FROM actionCode WHERE hash = ? AND expires > ? AND tenant = ?
            UNION ALL
            SELECT 1 FROM phoneCode WHERE hash = ? AND expires > ? AND guesses < ?
              AND coalesce((SELECT tenant FROM account WHERE account.uid = phoneCode.uid), tenant) = ?
            """,
            [hash, now.seconds, tenant, hash, now.seconds, StoredPhoneCode.guesses, tenant])
        })
    }
  }

  func setDisabled(_ name: AccountName, _ disabled: Bool) throws(AuthError) -> AccountRecord {
    let now = try now()
    return try change(name, disabled ? .accountDisabled : .accountEnabled, at: now) { account, db in
      try account.setDisabled(disabled, at: now, in: db)
    }
  }

  func revoke(_ name: AccountName) throws(AuthError) -> AccountRecord {
    let now = try now()
    return try change(name, .sessionsRevoked, at: now) { account, db in
      try account.revokeSessions(at: now, in: db)
      try StoredActionCode.forgetFactorRemovals(of: account, in: db)
    }
  }

  /// Returns the name of the account with this identifier. Refuses a missing account, and one of another tenant, with
  /// the protocol's word alone.
  func name(of uid: String, in tenant: String) throws(AuthError) -> AccountName {
    let account = try database.read { db in try StoredAccount.find(uid: uid, in: db) }
    guard let account, account.tenant.isExactly(tenant) else { throw AuthError(server: .userNotFound) }
    return .uid(uid, tenantID: tenant)
  }

  private func change(
    _ name: AccountName, _ event: AuditEvent.Kind, at now: Moment,
    _ change: (inout StoredAccount, Database) throws -> Void
  ) throws(AuthError) -> AccountRecord {
    try database.write { db in
      var account = try StoredAccount.require(name, in: db)
      let (old, rows) = (account, try AccountRows(of: account, in: db))
      try change(&account, db)
      try account.update(db)
      let changed = try account.changedNames(from: old) + AccountRows(of: account, in: db).changedNames(from: rows)
      try audit.record(AuditEvent(event, of: account, changed: changed, at: now), at: now)
      return try record(account, in: db)
    }
  }

  /// Returns the names of what a new account has.
  private func changes(to account: StoredAccount, in db: Database) throws -> [String] {
    var blank = account
    blank.clear()
    return try account.changedNames(from: blank) + AccountRows(of: account, in: db).changedNames(from: AccountRows())
  }

  private func record(_ account: StoredAccount, in db: Database) throws -> AccountRecord {
    AccountRecord(
      account, methods: try account.signInMethods(in: db), try StoredSecondFactor.all(of: account.uid, in: db))
  }

  private func requireNew(_ account: StoredAccount, _ email: EmailAddress?, in db: Database) throws {
    if try StoredAccount.find(uid: account.uid, in: db) != nil {
      throw AuthError(
        .invalidArgument, "there is an account \(account.uid.printable()) already", server: .duplicateLocalID)
    }
    if let email { try StoredAccount.requireFree(email, of: account.tenant, in: db) }
    if let phone = account.phoneNumber { try account.requireFree(phone, in: db) }
  }
}

extension StoredAccount {
  static func require(_ name: AccountName, in db: Database) throws -> StoredAccount {
    switch name {
    case .uid(let uid, let tenantID):
      if let account = try find(uid: uid, in: db), tenantID.map(account.tenant.isExactly) ?? true { return account }
      throw missing("identifier", uid)
    case .email(let email, let tenantID):
      if let account = try find(EmailAddress(email), of: tenantID ?? "", in: db) { return account }
      throw missing("address", email)
    }
  }

  private static func missing(_ key: String, _ name: String) -> AuthError {
    AuthError(.userNotFound, "no account has the \(key) \(name.printable())", server: .userNotFound)
  }

  /// Sets or removes the account's phone number.
  fileprivate mutating func setPhone(_ number: String?, in db: Database) throws {
    if let number { try requireFree(number, in: db) }
    phoneNumber = number
  }

  /// Refuses a phone number that another account of the tenant has.
  fileprivate func requireFree(_ number: String, in db: Database) throws {
    if let other = try StoredAccount.find(phoneNumber: number, of: tenant, in: db), !other.uid.isExactly(uid) {
      throw AuthError(server: .phoneNumberExists)
    }
  }

  /// Disables or enables the account. Disabling ends its sessions, so that enabling it again revives no token.
  fileprivate mutating func setDisabled(_ isDisabled: Bool, at now: Moment, in db: Database) throws {
    if isDisabled, !disabled { try endSessions(at: now, in: db) }
    disabled = isDisabled
  }

  /// Removes ways to sign in.
  fileprivate mutating func lose(_ methods: Set<ExactText>, in db: Database) throws {
    if methods.contains(Session.byPassword) {
      removePassword()
      emailLink = false
    }
    if methods.contains(Session.byPhone) { phoneNumber = nil }
    for identity in try StoredIdentity.all(of: uid, in: db) where methods.contains(identity.provider) {
      try StoredIdentity.forget(identity.provider, of: uid, in: db)
    }
  }

  fileprivate mutating func lose(_ attributes: Set<Update.Attribute>, at now: Moment, in db: Database) throws {
    if attributes.contains(.email), email != nil {
      try forgetCodes(in: db)
      try loseAddress(at: now, in: db)
    }
    if attributes.contains(.password) { removePassword() }
    if attributes.contains(.provider) { try StoredIdentity.forgetAll(of: uid, in: db) }
  }

  /// Lets an identity provider's user sign in to the account, replacing an earlier user of that provider.
  func link(_ info: Account.ProviderUserInfo, in db: Database) throws {
    guard let subject = try info.rawId.flatMap(ProfileField.subject.checked),
      try ProfileField.provider.checked(info.providerId) != nil,
      ![Session.byPassword, Session.byPhone, Session.anonymous, Session.byCustomToken].contains(info.providerId)
    else { throw AuthError(server: .invalidProviderID) }
    if let other = try StoredIdentity.find(info.providerId, subject, of: tenant, in: db), !other.uid.isExactly(uid) {
      throw AuthError(server: .federatedUserIDAlreadyLinked)
    }
    try StoredIdentity.forget(info.providerId, of: uid, in: db)
    try StoredIdentity(
      tenant: tenant, provider: info.providerId, subject: subject, uid: uid,
      email: info.email.flatMap(ProfileField.identityEmail.checked),
      displayName: info.displayName.flatMap(ProfileField.displayName.checked),
      photoURL: info.photoUrl.flatMap(ProfileField.photoURL.checked)
    ).insert(db)
  }

  /// Ends the sessions that began before a time, which is limited to now. The time of an earlier revocation is never
  /// reduced.
  fileprivate mutating func revoke(before moment: Int64?, at now: Moment, in db: Database) throws {
    guard let moment, moment > validSince || moment >= now.seconds else { return }
    if moment >= now.seconds { return try revokeSessions(at: now, in: db) }
    validSince = moment
    // The administrator's clock may be late: what could begin a session was perhaps made before the moment.
    try WaitingSignIn.forgetAll(of: uid, in: db)
    try forgetCodes(in: db)
  }

  /// Sets the custom claims of the user's ID tokens, from the next refresh on. An account whose claims were removed
  /// shows `{}`, like Google's servers.
  mutating func setClaims(_ claims: JSONObject) throws(AuthError) {
    try CustomClaims.check(claims)
    self.claims = claims.description
  }
}

extension JSONObject {
  /// Reads claims as an administrator sends them: the text of an object; an empty text for none.
  init(claims text: String) throws(AuthError) {
    guard let claims = try? text.isEmpty ? JSONObject() : JSONObject(reading: text.utf8) else {
      throw AuthError(.invalidArgument, "the claims are not a JSON object", server: .invalidClaims)
    }
    self = claims
  }
}
