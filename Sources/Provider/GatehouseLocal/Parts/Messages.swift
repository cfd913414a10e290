import GRDB
import GatehouseBase
import IdentityToolkit

/// The messages, and the codes in them.
struct Messages: ProviderPart {
  let store: ProviderStore
  let deliveries: Deliveries

  /// Stores a code that is about to be sent, if its number may receive another message.
  func keep(
    _ code: StoredPhoneCode, of account: StoredAccount?, isOwn: Bool = false, _ caller: Caller, at now: Moment,
    in db: Database
  ) throws {
    try deliveries.requireTexts()
    let tenant = account?.tenant ?? code.tenant
    let own = tenant.isEmpty ? nil : try TenantRules(of: tenant, in: db).textRegions
    try (own ?? store.environment.textRegions).require(code.phoneNumber)
    var sent = try SentMessages(
      to: code.phoneNumber, of: account, in: tenant, isOwn: isOwn, caller, options, at: now, in: db)
    try sent.requireFew(at: now)
    var texts = try SentTexts(isKnown: sent.isKnown, caller, options, at: now, in: db)
    try texts.requireFew(to: code.phoneNumber, at: now)
    try sent.add(at: now, in: db)
    try texts.add(at: now, in: db)
    try code.keep(at: now, in: db)
  }

  /// Whether an account cannot get an address, even if its user proves the address.
  func isTaken(_ email: EmailAddress, of tenant: String, for account: StoredAccount?, in db: Database) throws -> Bool {
    guard let holder = try StoredAccount.find(email, of: tenant, in: db) else { return false }
    return account.map { !holder.yields(to: $0) } ?? true
  }

  /// Stores a code and makes its message. The message that verifies an address also says who may have made the account,
  /// and has a code that empties it. The message that changes an address has a code that refuses the change.
  func message(
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
    var values: [String: MessageValue] = [:]
    if type == .verifyEmail || isChange, let account {
      let notMe = try undo(.recoverEmail, of: account, email: recipient.text, at: now, in: db) {
        if isChange { $0.epoch = try account.epoch(in: db) }
      }
      values["CREATED"] = .made(Moment(seconds: account.createdAt / 1000).rfc3339)
      values["CREATED_FROM"] = account.createdFrom.map(MessageValue.network) ?? .made("-")
      let link = ActionLink(locale: call.locale, options)
      values["NOT_ME_LINK"] = .made(link.url(.recoverEmail, notMe.code, of: account.tenant).revealed)
    }
    return OutgoingMessage(stored, code, link, to: recipient.text, of: account, call.locale, options, values)
  }

  /// Makes the message that informs a former address of a change, with the code that reverts the change. Runs in the
  /// change's own transaction, after the change. There is none if the former address was not verified and has received
  /// too many messages.
  ///
  /// - Parameter verified: the account's `verifiedEpoch` before the change; `nil` if the former address was not
  ///   verified.
  func noticeOfChange(
    of account: StoredAccount, from old: String?, _ verified: Int64?, locale: String? = nil, at now: Moment,
    in db: Database
  ) throws -> OutgoingMessage? {
    guard options.delivery != nil, let old, let new = account.email else { return nil }
    guard try mayTell(old, isProved: verified != nil, of: account, at: now, in: db) else { return nil }
    let made = try undo(.recoverEmail, of: account, email: old, at: now, in: db) {
      $0.newEmail = new
      $0.epoch = try account.epoch(in: db)
      $0.verifiedEpoch = verified
    }
    return OutgoingMessage(
      made.stored, made.code, ActionLink(locale: locale, options), to: old, of: account, locale, options)
  }

  /// Makes the message that informs an address that it was replaced by a former one. It has no code: the former
  /// address has the last word.
  ///
  /// - Parameter old: the account before.
  func noticeOfRecovery(
    of account: StoredAccount, from old: StoredAccount, at now: Moment, in db: Database
  ) throws -> OutgoingMessage? {
    guard options.delivery != nil, let replaced = old.email, let email = account.email, !replaced.isExactly(email),
      try mayTell(replaced, isProved: old.emailVerified, of: account, at: now, in: db)
    else { return nil }
    return OutgoingMessage(.addressTakenBack, of: account, from: replaced, options)
  }

  /// Whether a former address of an account may receive a message that it has not requested. Counts the message if the
  /// account never proved the address: a stranger could otherwise send another person messages without limit.
  ///
  /// It is not counted for the caller's network. A thief could use up that limit beforehand, so that the owner of the
  /// account does not hear of the change.
  private func mayTell(
    _ address: String, isProved: Bool, of account: StoredAccount, at now: Moment, in db: Database
  ) throws -> Bool {
    if isProved { return true }
    var sent = try SentMessages(to: address, of: nil, in: account.tenant, Caller(), options, at: now, in: db)
    return try sent.addIfFew(at: now, in: db)
  }

  /// Makes the message that informs the owner of an account of a new second factor, with the code that takes it away.
  /// Runs in the enrollment's own transaction.
  func noticeOfEnrollment(
    of factor: StoredSecondFactor, for account: StoredAccount, ownersDevices: [String], at now: Moment,
    in db: Database
  ) throws -> OutgoingMessage? {
    guard options.delivery != nil, let email = account.email else { return nil }
    let aloneUntil = now.seconds + options.codeLifetimes.secondFactorRemoval.wholeSeconds
    let made = try undo(.revertSecondFactorAddition, of: account, email: email, at: now, in: db) {
      $0.factor = factor.id
      $0.aloneUntil = aloneUntil
      $0.passwordGeneration = account.password == nil ? nil : account.passwordGeneration
      $0.ownersDevices = ownersDevices.joined(separator: " ")
    }
    let values = [
      "ALONE_UNTIL": MessageValue.made(Moment(seconds: min(aloneUntil, made.stored.expires)).rfc3339),
      "UNTIL": MessageValue.made(Moment(seconds: made.stored.expires).rfc3339),
    ]
    return OutgoingMessage(
      made.stored, made.code, ActionLink(locale: nil, options), to: email, of: account, nil, options, values)
  }

  /// Makes the message that informs the owner of an account that a second factor will be removed, with a code that
  /// stops it.
  ///
  /// - Parameter removal: the code that removes the factor, whose waiting time has begun.
  func noticeOfRemoval(
    by removal: StoredActionCode, from account: StoredAccount, at now: Moment, in db: Database
  ) throws -> OutgoingMessage? {
    guard options.delivery != nil, let email = account.email, let removesAt = removal.removesAt else { return nil }
    let made = try undo(.revertSecondFactorAddition, of: account, email: email, at: now, in: db) {
      $0.stops = removal.hash
      $0.expires = removal.expires
    }
    return OutgoingMessage(
      made.stored, made.code, ActionLink(locale: nil, options), to: email, of: account, nil, options,
      ["REMOVED_AT": .made(Moment(seconds: removesAt).rfc3339)], template: .secondFactorRemoval)
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

extension OutgoingMessage {
  fileprivate init(
    _ stored: StoredActionCode, _ code: ActionCode, _ link: ActionLink, to recipient: String,
    of account: StoredAccount?,
    _ locale: String?, _ options: LocalOptions, _ more: [String: MessageValue] = [:],
    template name: ActionCodeType? = nil
  ) {
    let url = link.url(stored.type, code, of: stored.tenant)
    let template = options.templates.template(name ?? stored.type, locale)
    var values = more
    values["EMAIL"] = .address(stored.email, to: recipient, provedBy: account)
    values["NEW_EMAIL"] = stored.newEmail.map { .address($0, to: recipient, provedBy: account) } ?? .made("")
    values["APP_NAME"] = .operators(options.appName)
    subject = template.filled(\.subject, values)
    values["LINK"] = .made(url.revealed)
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
  fileprivate init(_ type: ActionCodeType, of account: StoredAccount, from replaced: String, _ options: LocalOptions) {
    let template = options.templates.template(type, nil)
    let values: [String: MessageValue] = [
      "EMAIL": .address(account.email ?? "", to: replaced, provedBy: account),
      "OLD_EMAIL": .address(replaced, to: replaced, provedBy: account), "APP_NAME": .operators(options.appName),
    ]
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

extension OutgoingText {
  init(_ code: PhoneCode, to number: String, _ locale: String?, _ options: LocalOptions) {
    self.init(
      phoneNumber: number, code: code.code, locale: locale,
      text: options.templates.text(of: code.code, locale, appName: options.appName))
    sessionInfo = code.sessionInfo
  }
}

extension MessageValue {
  /// - Parameter account: an account that may have proved the address.
  fileprivate static func address(_ email: String, to reader: String, provedBy account: StoredAccount?) -> Self {
    let isProved = account?.emailVerified == true && account?.email?.isExactly(email) == true
    return .address(email, to: reader, isProved: isProved)
  }
}
