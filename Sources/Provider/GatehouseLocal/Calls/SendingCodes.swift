import GRDB
import GatehouseBase
import IdentityToolkit

extension SendOobCode: DeliveringCall {
  func answer(by provider: Provider) throws(AuthError) -> Answer<Response> {
    try provider.deliveries.require()
    switch requestType {
    case .passwordReset: return try provider.sendPasswordReset(self)
    case .emailSignIn: return try provider.sendSignIn(self)
    case .verifyEmail: return try provider.sendVerification(self)
    case .verifyAndChangeEmail: return try provider.sendChange(self)
    default: throw AuthError(server: requestType.rawValue.isEmpty ? .missingReqType : .invalidReqType)
    }
  }

  fileprivate func recipient() throws(AuthError) -> EmailAddress {
    guard let email else { throw AuthError(server: .missingEmail) }
    return try EmailAddress(email)
  }

  fileprivate func bearer(_ provider: Provider, at now: Moment) throws(AuthError) -> Bearer {
    guard let idToken else { throw AuthError(server: .invalidIDToken) }
    return try provider.bearer(of: idToken, at: now)
  }
}

extension MakeActionLink: DeliveringCall {
  func answer(by provider: Provider) throws(AuthError) -> Answer<Response> {
    if returnOobLink != true { try provider.deliveries.require() }
    return try provider.makeLink(self)
  }

  /// The equivalent call of a client.
  fileprivate var call: SendOobCode {
    var call = SendOobCode(requestType)
    call.email = email
    call.newEmail = newEmail
    call.continueUrl = continueUrl
    call.linkDomain = linkDomain
    call.canHandleCodeInApp = canHandleCodeInApp
    call.tenantId = tenantId
    call.locale = locale
    return call
  }
}

extension Provider {
  /// Makes the link of a message for an administrator, who learns whether there is an account. Nothing is throttled.
  fileprivate func makeLink(_ request: MakeActionLink) throws(AuthError) -> Answer<MakeActionLink.Response> {
    let call = request.call
    let email = try call.recipient()
    let (link, code, now) = (try ActionLink(call, options), try ActionCode(), try now())
    var recipient = email
    switch call.requestType {
    case .passwordReset, .verifyEmail: break
    case .emailSignIn:
      try email.requireHonest()
      if call.continueUrl?.isEmpty ?? true { throw AuthError(server: .missingContinueURI) }
    case .verifyAndChangeEmail:
      guard let new = call.newEmail else { throw AuthError(server: .missingNewEmail) }
      recipient = try EmailAddress(new)
      try recipient.requireHonest()
    default: throw AuthError(server: call.requestType.rawValue.isEmpty ? .missingReqType : .invalidReqType)
    }
    let message = try database.write { db in
      let account = try StoredAccount.find(email, of: call.tenant, in: db)
      try account?.requireEnabled()
      if call.requestType == .verifyAndChangeEmail, try self.isTaken(recipient, of: call.tenant, for: account, in: db) {
        throw AuthError(server: .emailExists, email: recipient.text)
      }
      guard account != nil || call.requestType == .emailSignIn else {
        throw AuthError(server: .emailNotFound, email: email.text)
      }
      try StoredActionCode.forgetExpired(at: now, in: db)
      return try self.message(
        call.requestType, code, link, to: recipient, of: call.requestType == .emailSignIn ? nil : account, call,
        at: now,
        in: db)
    }
    var response = MakeActionLink.Response(email: email.text)
    guard request.returnOobLink == true else { return Answer(response, sending: message) }
    options.linkMade?(message)
    response.oobCode = message.code
    response.oobLink = message.link
    return Answer(response)
  }

  /// Sends a message to an address that has an account. With enumeration protection, an address without one gets the
  /// same answer.
  fileprivate func sendPasswordReset(_ call: SendOobCode) throws(AuthError) -> Answer<SendOobCode.Response> {
    let (email, link, now) = (try call.recipient(), try ActionLink(call, options), try now())
    return try answer(call, to: email, link, at: now) { code, db in
      guard let account = try self.reachable(email, of: call.tenant, in: db) else { return nil }
      return try self.message(.passwordReset, code, link, to: email, of: account, call, at: now, in: db)
    }
  }

  /// Sends a message to any address: the sign-in creates the account.
  fileprivate func sendSignIn(_ call: SendOobCode) throws(AuthError) -> Answer<SendOobCode.Response> {
    let email = try call.recipient()
    try email.requireHonest()
    if call.continueUrl?.isEmpty ?? true { throw AuthError(server: .missingContinueURI) }
    let (link, now) = (try ActionLink(call, options), try now())
    return try answer(call, to: email, link, at: now) { code, db in
      let account = try StoredAccount.find(email, of: call.tenant, in: db)
      if let account, account.disabled {
        guard self.options.enumerationProtection else { throw AuthError(server: .userDisabled, email: email.text) }
        return nil
      }
      return try self.message(.emailSignIn, code, link, to: email, of: nil, call, at: now, in: db)
    }
  }

  /// Sends a message to the address of the account of an ID token.
  fileprivate func sendVerification(_ call: SendOobCode) throws(AuthError) -> Answer<SendOobCode.Response> {
    let (link, now) = (try ActionLink(call, options), try now())
    let bearer = try call.bearer(self, at: now)
    let email = try address(of: bearer)
    return try answer(call, to: email, link, isOwn: true, by: bearer, at: now) { code, db in
      let account = try bearer.account(of: call, in: db)
      guard email.belongs(to: account) else { throw AuthError(server: .invalidIDToken) }
      return try self.message(
        .verifyEmail, code, link, to: email, of: account, askedBy: bearer, call, at: now, in: db)
    }
  }

  /// Sends a message to the new address of an account.
  fileprivate func sendChange(_ call: SendOobCode) throws(AuthError) -> Answer<SendOobCode.Response> {
    let (link, now) = (try ActionLink(call, options), try now())
    let bearer = try call.bearer(self, at: now)
    guard let new = call.newEmail else { throw AuthError(server: .missingEmail) }
    let email = try EmailAddress(new)
    try email.requireHonest()
    _ = try address(of: bearer)
    return try answer(call, to: email, link, by: bearer, at: now) { code, db in
      let account = try bearer.account(of: call, in: db)
      try bearer.requireRecentSignIn(to: account, self.options, in: db)
      if try self.isTaken(email, of: account.tenant, for: account, in: db) {
        guard self.options.enumerationProtection else { throw AuthError(server: .emailExists, email: email.text) }
        return nil
      }
      return try self.message(
        .verifyAndChangeEmail, code, link, to: email, of: account, askedBy: bearer, call, at: now, in: db)
    }
  }

  /// Whether an account cannot get an address, even if its user proves the address.
  private func isTaken(
    _ email: EmailAddress, of tenant: String, for account: StoredAccount?, in db: Database
  ) throws -> Bool {
    guard let holder = try StoredAccount.find(email, of: tenant, in: db) else { return false }
    return account.map { !holder.yields(to: $0) } ?? true
  }

  /// Counts and makes the message, in one transaction. Messages that are not sent count as well.
  private func answer(
    _ call: SendOobCode, to email: EmailAddress, _ link: ActionLink, isOwn: Bool = false, by bearer: Bearer? = nil,
    at now: Moment, _ make: (ActionCode, Database) throws -> OutgoingMessage?
  ) throws(AuthError) -> Answer<SendOobCode.Response> {
    let (code, caller) = (try ActionCode(), Caller.current)
    let message = try database.write { db in
      // A signed-in user need not name the tenant.
      let tenant = try bearer?.account(of: call, in: db).tenant ?? call.tenant
      let account = try StoredAccount.find(email, of: tenant, in: db)
      var sent = try SentMessages(
        to: email.text, of: account, in: tenant, isOwn: isOwn, caller, options, at: now, in: db)
      try sent.requireFew(at: now)
      let message = try make(code, db)
      try sent.add(at: now, in: db)
      try StoredActionCode.forgetExpired(at: now, in: db)
      return message
    }
    return Answer(SendOobCode.Response(email: email.text), sending: message)
  }

  /// Returns the account with an address. Without enumeration protection, a missing or disabled account is an error.
  private func reachable(_ email: EmailAddress, of tenant: String, in db: Database) throws -> StoredAccount? {
    let account = try StoredAccount.find(email, of: tenant, in: db)
    if options.enumerationProtection { return account?.disabled == true ? nil : account }
    guard let account else { throw AuthError(server: .emailNotFound, email: email.text) }
    try account.requireEnabled()
    return account
  }

  private func address(of bearer: Bearer) throws(AuthError) -> EmailAddress {
    let account = try database.read { db in try bearer.account(in: db) }
    guard let email = account.email else { throw AuthError(server: .missingEmail) }
    return try EmailAddress(email)
  }

  /// Stores a code and makes its message. The message that verifies an address also says who may have made the account,
  /// and has a code that empties it. The message that changes an address has a code that refuses the change.
  private func message(
    _ type: ActionCodeType, _ code: ActionCode, _ link: ActionLink, to recipient: EmailAddress,
    of account: StoredAccount?, askedBy bearer: Bearer? = nil, _ call: SendOobCode, at now: Moment, in db: Database
  ) throws -> OutgoingMessage {
    let isChange = type == .verifyAndChangeEmail
    var stored = StoredActionCode(
      hash: try ActionCode.hash(code.secret), type: type, uid: account?.uid, tenant: account?.tenant ?? call.tenant,
      email: isChange ? account?.email ?? recipient.text : recipient.text, newEmail: isChange ? recipient.text : nil,
      expires: now.seconds + options.codeLifetimes.seconds(of: type))
    stored.session = bearer?.session
    try stored.insert(db)
    var values: [String: String] = [:]
    if type == .verifyEmail || isChange, let account {
      let notMe = try undo(.recoverEmail, of: account, email: recipient.text, at: now, in: db) {
        if isChange { $0.epoch = try account.epoch(in: db) }
      }
      values["CREATED"] = Moment(seconds: account.createdAt / 1000).rfc3339
      values["CREATED_FROM"] = account.createdFrom ?? "-"
      values["NOT_ME_LINK"] =
        ActionLink(locale: call.locale, options)
        .url(.recoverEmail, notMe.code, of: account.tenant).revealed
    }
    return OutgoingMessage(stored, code, link, to: recipient.text, call.locale, options, values)
  }

  /// Makes the message that informs a former address of a change, with the code that reverts the change. Runs in the
  /// change's own transaction, after the change.
  ///
  /// - Parameter verified: the account's `verifiedEpoch` before the change; `nil` if the former address was not
  ///   verified.
  func noticeOfChange(
    of account: StoredAccount, from old: String?, _ verified: Int64?, locale: String? = nil, at now: Moment,
    in db: Database
  ) throws -> OutgoingMessage? {
    guard options.delivery != nil, let old, let new = account.email else { return nil }
    let made = try undo(.recoverEmail, of: account, email: old, at: now, in: db) {
      $0.newEmail = new
      $0.epoch = try account.epoch(in: db)
      $0.verifiedEpoch = verified
    }
    return OutgoingMessage(made.stored, made.code, ActionLink(locale: locale, options), to: old, locale, options)
  }

  /// Makes the message that informs an address that it was replaced by a former one. It has no code: the former
  /// address has the last word.
  func noticeOfRecovery(of account: StoredAccount, from replaced: String?) -> OutgoingMessage? {
    guard options.delivery != nil, let replaced, let email = account.email, !replaced.isExactly(email) else {
      return nil
    }
    return OutgoingMessage(.addressTakenBack, of: account, from: replaced, options)
  }

  /// Makes the message that informs the owner of an account of a new second factor, with the code that takes it away.
  /// Runs in the enrollment's own transaction.
  func noticeOfEnrollment(
    of factor: StoredSecondFactor, for account: StoredAccount, at now: Moment, in db: Database
  ) throws -> OutgoingMessage? {
    guard options.delivery != nil, let email = account.email else { return nil }
    let made = try undo(.revertSecondFactorAddition, of: account, email: email, at: now, in: db) {
      $0.factor = factor.id
    }
    return OutgoingMessage(made.stored, made.code, ActionLink(locale: nil, options), to: email, nil, options)
  }

  /// Stores a code that takes a change back.
  private func undo(
    _ type: ActionCodeType, of account: StoredAccount, email: String, at now: Moment, in db: Database,
    _ set: (inout StoredActionCode) throws -> Void = { _ in }
  ) throws -> (stored: StoredActionCode, code: ActionCode) {
    let code = try ActionCode()
    var stored = StoredActionCode(
      hash: try ActionCode.hash(code.secret), type: type, uid: account.uid, tenant: account.tenant, email: email,
      expires: now.seconds + options.codeLifetimes.seconds(of: type))
    try set(&stored)
    try stored.insert(db)
    return (stored, code)
  }
}

extension ActionCodeType {
  /// The message to an address that was replaced by a former one. It has no code.
  static let addressTakenBack = Self(rawValue: "ADDRESS_TAKEN_BACK")
}

extension OutgoingMessage {
  fileprivate init(
    _ stored: StoredActionCode, _ code: ActionCode, _ link: ActionLink, to recipient: String, _ locale: String?,
    _ options: LocalOptions, _ more: [String: String] = [:]
  ) {
    let url = link.url(stored.type, code, of: stored.tenant)
    let template = options.templates.template(stored.type, locale)
    var values = ["EMAIL": stored.email, "NEW_EMAIL": stored.newEmail ?? "", "APP_NAME": options.appName]
      .merging(more) { $1 }
    subject = template.filled(\.subject, values)
    values["LINK"] = url.revealed
    text = Secret(template.filled(\.text, values))
    type = stored.type
    self.recipient = recipient
    uid = stored.uid
    self.link = url
    self.code = code.secret
    newEmail = stored.newEmail
    self.locale = locale
  }

  /// Makes a message without a code.
  fileprivate init(
    _ type: ActionCodeType, of account: StoredAccount, from replaced: String, _ options: LocalOptions
  ) {
    let template = options.templates.template(type, nil)
    let values = ["EMAIL": account.email ?? "", "OLD_EMAIL": replaced, "APP_NAME": options.appName]
    subject = template.filled(\.subject, values)
    text = Secret(template.filled(\.text, values))
    self.type = type
    recipient = replaced
    uid = account.uid
    (link, code) = (Secret(""), Secret(""))
    newEmail = nil
    locale = nil
  }
}
