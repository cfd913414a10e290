import GRDB
import GatehouseBase
import IdentityToolkit

extension SignInWithPhoneNumber: LocalCall {
  var authority: Authority { .code }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }

  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    switch outcome {
    // Without a token, the number belongs to another account.
    case .success(let answer): answer.idToken == nil ? [] : [AuditEvent(.signIn, answer.idToken, "phone", at: now)]
    case .failure(let error): AuditEvent.refusal(error, "phone", at: now)
    }
  }

  private enum Outcome: Sendable {
    case session(Session, isNewUser: Bool)
    /// The number belongs to another account; the answer contains a proof of the number.
    case taken(number: String)
    /// A failure that must not roll back the transaction.
    case failed(AuthError)
  }

  /// Signs in with a code, or gives the number to an account.
  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let now = try provider.now()
    var bearer: Bearer?
    if let idToken { bearer = try provider.sessions.bearer(of: idToken, in: tenantId, at: now) }
    let (token, uid, proof) = (try RefreshToken(), try Identifier.make(), try ActionCode())
    let caller = Caller.current
    let outcome = try provider.database.write { [bearer] db -> Outcome in
      let linked = try bearer?.account(in: db)
      let tenant = linked?.tenant ?? self.tenant
      let number: String
      switch try proved(of: tenant, at: now, in: db) {
      case .success(let proved): number = proved
      case .failure(let error): return .failed(error)
      }
      let existing = try StoredAccount.find(phoneNumber: number, of: tenant, in: db)
      guard let bearer, let account = linked else {
        if existing == nil, operation == .reauthenticate { throw AuthError(server: .userNotFound) }
        if existing == nil { try provider.signIns.countSignUp(caller, at: now, in: db) }
        var account = existing ?? StoredAccount(uid: uid, of: tenant, at: now)
        try account.requireEnabled()
        account.phoneNumber = number
        switch try provider.factors.begin(token, of: account, by: Session.byPhone, at: now, in: db) {
        case .success(let session): return .session(session, isNewUser: existing == nil)
        case .failure(let error): return .failed(error)
        }
      }
      guard existing.map({ $0.uid.isExactly(account.uid) }) ?? true else {
        try keepProof(of: number, tenant, proof, at: now, in: db)
        return .taken(number: number)
      }
      return .session(try give(by: provider, number, to: account, bearer, token, at: now, in: db), isNewUser: false)
    }
    var response = Response()
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
      response.idToken = try provider.sessions.idToken(of: session, at: now)
      response.refreshToken = session.refreshToken.secret
      response.expiresIn = DecimalString(secondsOf: provider.options.tokenLifetime)
    }
    return response
  }

  /// Sets the phone number of an account.
  private func give(
    by provider: Provider, _ number: String, to account: StoredAccount, _ bearer: Bearer,
    _ token: RefreshToken, at now: Moment, in db: Database
  ) throws -> Session {
    var account = account
    try bearer.requireRecentSignIn(to: account, provider.options, in: db)
    let hadWays = try account.hasWays(in: db)
    if account.phoneNumber != nil {
      guard operation != .link else { throw AuthError(.providerAlreadyLinked, "the account has a phone number") }
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
  private func proved(of tenant: String, at now: Moment, in db: Database) throws -> Result<String, AuthError> {
    func number(of found: StoredPhoneCode) throws(AuthError) -> String {
      guard found.tenant.isExactly(tenant) else { throw AuthError(server: .tenantIDMismatch) }
      return found.phoneNumber
    }

    if let proof = temporaryProof {
      guard case .good(let found) = try StoredPhoneCode.take(Secret(""), proof, for: .proof, at: now, in: db),
        let given = self.phoneNumber, try PhoneNumber(given).text.isExactly(found.phoneNumber)
      else { throw AuthError(server: .invalidSessionInfo) }
      return .success(try number(of: found))
    }
    guard let sessionInfo = sessionInfo else { throw AuthError(server: .missingSessionInfo) }
    guard let code = code else { throw AuthError(server: .missingCode) }
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
