import GRDB
import GatehouseBase
import IdentityToolkit

extension SendOobCode: LocalCall {
  var authority: Authority { [.verifyEmail, .verifyAndChangeEmail].contains(requestType) ? .user : .stranger }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .sending(.changing, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Answer<Response> {
    try provider.messages.deliveries.require()
    switch requestType {
    case .passwordReset: return try sendPasswordReset(by: provider)
    case .emailSignIn: return try sendSignIn(by: provider)
    case .verifyEmail: return try sendVerification(by: provider)
    case .verifyAndChangeEmail: return try sendChange(by: provider)
    default: throw AuthError(server: requestType.rawValue.isEmpty ? .missingReqType : .invalidReqType)
    }
  }

  func recipient() throws(AuthError) -> EmailAddress {
    guard let email else { throw AuthError(server: .missingEmail) }
    return try EmailAddress(email)
  }

  private func bearer(by provider: Provider, at now: Moment) throws(AuthError) -> Bearer {
    guard let idToken else { throw AuthError(server: .invalidIDToken) }
    return try provider.sessions.bearer(of: idToken, in: tenantId, at: now)
  }

  /// A message, and whether it is sent. A message that enumeration protection keeps back is made like the others, so
  /// that the answer takes as long. Its code is in no message.
  private typealias Made = (message: OutgoingMessage, isSent: Bool)

  /// Sends a message to an address that has an account. With enumeration protection, an address without one gets the
  /// same answer.
  private func sendPasswordReset(by provider: Provider) throws(AuthError) -> Answer<Response> {
    let (email, link, now) = (try recipient(), try ActionLink(self, provider.options), try provider.now())
    let caller = Caller.current
    return try answer(by: provider, to: email, link, at: now) { code, db in
      try requireFewTold(by: provider, in: tenant, caller, at: now, in: db)
      let account = try reachable(by: provider, email, of: tenant, in: db)
      let message = try provider.messages.message(
        .passwordReset, code, link, to: email, of: account, self, at: now, in: db)
      return (message, account != nil)
    }
  }

  /// Sends a message to any address: the sign-in creates the account.
  private func sendSignIn(by provider: Provider) throws(AuthError) -> Answer<Response> {
    let email = try recipient()
    try email.requireHonest()
    if continueUrl?.isEmpty ?? true { throw AuthError(server: .missingContinueURI) }
    let (link, now) = (try ActionLink(self, provider.options), try provider.now())
    let caller = Caller.current
    return try answer(by: provider, to: email, link, at: now) { code, db in
      try requireFewTold(by: provider, in: tenant, caller, at: now, in: db)
      let isDisabled = try StoredAccount.find(email, of: tenant, in: db)?.disabled == true
      guard !isDisabled || provider.hidesAccounts(of: tenant) else {
        throw AuthError(server: .userDisabled, email: email.text)
      }
      let message = try provider.messages.message(
        .emailSignIn, code, link, to: email, of: nil, self, at: now, in: db)
      return (message, !isDisabled)
    }
  }

  /// Sends a message to the address of the account of an ID token.
  private func sendVerification(by provider: Provider) throws(AuthError) -> Answer<Response> {
    let (link, now) = (try ActionLink(self, provider.options), try provider.now())
    let bearer = try bearer(by: provider, at: now)
    let email = try address(by: provider, of: bearer)
    return try answer(by: provider, to: email, link, isOwn: true, by: bearer, at: now) { code, db in
      let account = try bearer.account(in: db)
      guard email.belongs(to: account) else { throw AuthError(server: .invalidIDToken) }
      let message = try provider.messages.message(
        .verifyEmail, code, link, to: email, of: account, askedBy: bearer, self, at: now, in: db)
      return (message, true)
    }
  }

  /// Sends a message to the new address of an account.
  private func sendChange(by provider: Provider) throws(AuthError) -> Answer<Response> {
    let (link, now) = (try ActionLink(self, provider.options), try provider.now())
    let bearer = try bearer(by: provider, at: now)
    guard let new = newEmail else { throw AuthError(server: .missingEmail) }
    let email = try EmailAddress(new)
    try email.requireHonest()
    _ = try address(by: provider, of: bearer)
    let caller = Caller.current
    return try answer(by: provider, to: email, link, by: bearer, at: now) { code, db in
      let account = try bearer.account(in: db)
      try bearer.requireRecentSignIn(to: account, provider.options, in: db)
      try requireFewTold(by: provider, in: account.tenant, caller, at: now, in: db)
      let isTaken = try provider.messages.isTaken(email, of: account.tenant, for: account, in: db)
      guard !isTaken || provider.hidesAccounts(of: account.tenant) else {
        throw AuthError(server: .emailExists, email: email.text)
      }
      let message = try provider.messages.message(
        .verifyAndChangeEmail, code, link, to: email, of: account, askedBy: bearer, self, at: now, in: db)
      return (message, !isTaken)
    }
  }

  /// Refuses a caller who was told of too many addresses: above the limit, the refusal of one address must not differ
  /// from the answer for another one. With enumeration protection, no answer tells of one.
  private func requireFewTold(
    by provider: Provider, in tenant: String, _ caller: Caller, at now: Moment, in db: Database
  ) throws {
    guard !provider.hidesAccounts(of: tenant) else { return }
    try provider.signIns.requireFewSignUps(caller, at: now, in: db)
  }

  /// Counts and makes the message, in one transaction. Messages that are not sent count as well.
  private func answer(
    by provider: Provider, to email: EmailAddress, _ link: ActionLink, isOwn: Bool = false, by bearer: Bearer? = nil,
    at now: Moment, _ make: (ActionCode, Database) throws -> Made
  ) throws(AuthError) -> Answer<Response> {
    let (code, caller) = (try ActionCode(), Caller.current)
    let made = try provider.database.write { db in
      // A signed-in user need not name the tenant.
      let tenant = try bearer?.account(in: db).tenant ?? tenant
      let account = try StoredAccount.find(email, of: tenant, in: db)
      var sent = try SentMessages(
        to: email.text, of: account, in: tenant, isOwn: isOwn, caller, provider.options, at: now, in: db)
      try sent.requireFew(at: now)
      let made = try make(code, db)
      try sent.add(at: now, in: db)
      try StoredActionCode.forgetExpired(at: now, in: db)
      return made
    }
    var answer = Answer(Response(email: email.text), sending: made.message)
    answer.isKeptBack = !made.isSent
    return answer
  }

  /// Returns the account with an address. Without enumeration protection, a missing or disabled account is an error.
  private func reachable(by provider: Provider, _ email: EmailAddress, of tenant: String, in db: Database) throws
    -> StoredAccount?
  {
    let account = try StoredAccount.find(email, of: tenant, in: db)
    if provider.hidesAccounts(of: tenant) { return account?.disabled == true ? nil : account }
    guard let account else { throw AuthError(server: .emailNotFound, email: email.text) }
    try account.requireEnabled()
    return account
  }

  private func address(by provider: Provider, of bearer: Bearer) throws(AuthError) -> EmailAddress {
    let account = try provider.database.read { db in try bearer.account(in: db) }
    guard let email = account.email else { throw AuthError(server: .missingEmail) }
    return try EmailAddress(email)
  }
}
