import GRDB
import GatehouseBase
import IdentityToolkit

extension SendVerificationCode: DeliveringCall {
  func answer(by provider: Provider) throws(AuthError) -> Answer<Response> {
    let (code, text) = try provider.code(for: PhoneNumber(phoneNumber), of: tenant, locale: locale)
    return Answer(Response(sessionInfo: code.sessionInfo), texting: text)
  }
}

extension SignInWithPhoneNumber: LocalCall {
  func answer(by provider: Provider) throws(AuthError) -> Response { try provider.signIn(self) }
}

extension Provider {
  fileprivate func code(
    for number: PhoneNumber, of tenant: String, locale: String?
  ) throws(AuthError) -> (PhoneCode, OutgoingText) {
    let now = try now()
    let code = try PhoneCode()
    let stored = try code.stored(.signIn, number, tenant: tenant, at: now)
    let caller = Caller.current
    try database.write { db in
      let account = try StoredAccount.find(phoneNumber: number.text, of: tenant, in: db)
      try keep(stored, of: account, caller, at: now, in: db)
    }
    return (code, OutgoingText(code, to: number.text, locale, options))
  }

  /// Stores a code that is about to be sent, if its number may receive another message.
  func keep(
    _ code: StoredPhoneCode, of account: StoredAccount?, isOwn: Bool = false, _ caller: Caller, at now: Moment,
    in db: Database
  ) throws {
    try deliveries.requireTexts()
    var sent = try SentMessages(
      to: code.phoneNumber, of: account, in: account?.tenant ?? code.tenant, isOwn: isOwn, caller, options, at: now,
      in: db)
    try sent.requireFew(at: now)
    try sent.add(at: now, in: db)
    try code.keep(at: now, in: db)
  }

  private enum Outcome: Sendable {
    case session(Session, isNewUser: Bool)
    /// The number belongs to another account; the answer contains a proof of the number.
    case taken(number: String)
    /// A failure that must not roll back the transaction.
    case failed(AuthError)
  }

  /// Signs in with a code, or gives the number to an account.
  fileprivate func signIn(_ call: SignInWithPhoneNumber) throws(AuthError) -> SignInWithPhoneNumber.Response {
    let now = try now()
    var bearer: Bearer?
    if let idToken = call.idToken { bearer = try self.bearer(of: idToken, at: now) }
    let (token, uid, proof) = (try RefreshToken(), try Identifier.make(), try ActionCode())
    let caller = Caller.current
    let outcome = try database.write { [bearer] db -> Outcome in
      let linked = try bearer?.account(of: call, in: db)
      let tenant = linked?.tenant ?? call.tenant
      let number: String
      switch try proved(by: call, of: tenant, at: now, in: db) {
      case .success(let proved): number = proved
      case .failure(let error): return .failed(error)
      }
      let existing = try StoredAccount.find(phoneNumber: number, of: tenant, in: db)
      guard let bearer, let account = linked else {
        if existing == nil, call.operation == .reauthenticate { throw AuthError(server: .userNotFound) }
        if existing == nil { try countSignUp(caller, at: now, in: db) }
        var account = existing ?? StoredAccount(uid: uid, of: tenant, at: now)
        try account.requireEnabled()
        account.phoneNumber = number
        switch try begin(token, of: account, by: Session.byPhone, at: now, in: db) {
        case .success(let session): return .session(session, isNewUser: existing == nil)
        case .failure(let error): return .failed(error)
        }
      }
      guard existing.map({ $0.uid.isExactly(account.uid) }) ?? true else {
        try keepProof(of: number, tenant, proof, at: now, in: db)
        return .taken(number: number)
      }
      return .session(try give(number, to: account, bearer, call, token, at: now, in: db), isNewUser: false)
    }
    var response = SignInWithPhoneNumber.Response()
    switch outcome {
    case .failed(let error): throw error
    case .taken(let number):
      response.phoneNumber = number
      response.temporaryProof = proof.secret
      response.temporaryProofExpiresIn = DecimalString(StoredPhoneCode.lifetime)
    case .session(let session, let isNewUser):
      response.localId = session.account.uid
      response.phoneNumber = session.account.phoneNumber
      response.isNewUser = isNewUser
      response.idToken = try keys.idToken(of: session, options, at: now)
      response.refreshToken = session.refreshToken.secret
      response.expiresIn = DecimalString(secondsOf: options.tokenLifetime)
    }
    return response
  }

  /// Sets the phone number of an account.
  private func give(
    _ number: String, to account: StoredAccount, _ bearer: Bearer, _ call: SignInWithPhoneNumber,
    _ token: RefreshToken, at now: Moment, in db: Database
  ) throws -> Session {
    var account = account
    try bearer.requireRecentSignIn(to: account, options, in: db)
    let hadWays = try account.hasWays(in: db)
    if account.phoneNumber != nil {
      guard call.operation != .link else { throw AuthError(.providerAlreadyLinked, "the account has a phone number") }
      try account.revokeSessions(at: now, in: db)
    } else if !hadWays {
      try account.revokeSessions(at: now, in: db)
    }
    account.phoneNumber = number
    account.lastLoginAt = now.milliseconds
    try account.update(db)
    return try Session(
      beginning: token, of: account, by: hadWays ? bearer.provider : Session.byPhone, factor: bearer.factor,
      since: hadWays ? try bearer.signedIn(in: db) : nil, at: now, in: db)
  }

  /// Returns the number that a call proves; for a wrong code, a failure that must not roll back the transaction.
  private func proved(
    by call: SignInWithPhoneNumber, of tenant: String, at now: Moment, in db: Database
  ) throws -> Result<String, AuthError> {
    func number(of found: StoredPhoneCode) throws(AuthError) -> String {
      guard found.tenant.isExactly(tenant) else { throw AuthError(server: .tenantIDMismatch) }
      return found.phoneNumber
    }

    if let proof = call.temporaryProof {
      guard case .good(let found) = try StoredPhoneCode.take(Secret(""), proof, for: .proof, at: now, in: db),
        let given = call.phoneNumber, try PhoneNumber(given).text.isExactly(found.phoneNumber)
      else { throw AuthError(server: .invalidSessionInfo) }
      return .success(try number(of: found))
    }
    guard let sessionInfo = call.sessionInfo else { throw AuthError(server: .missingSessionInfo) }
    guard let code = call.code else { throw AuthError(server: .missingCode) }
    switch try StoredPhoneCode.take(code, sessionInfo, for: .signIn, at: now, in: db) {
    case .good(let found): return .success(try number(of: found))
    case .wrong: return .failure(AuthError(server: .invalidCode))
    }
  }

  /// Stores a proof of a number. The code was valid and is used up, but the number belongs to another account. With the
  /// proof, its user can sign in to that account.
  private func keepProof(
    of number: String, _ tenant: String, _ proof: ActionCode, at now: Moment, in db: Database
  ) throws {
    try StoredPhoneCode(
      hash: try ActionCode.hash(proof.secret), purpose: .proof, phoneNumber: number,
      codeHash: try StoredPhoneCode.hash(Secret(""), proof.secret), tenant: tenant,
      expires: now.seconds + StoredPhoneCode.lifetime
    ).keep(at: now, in: db)
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
