import GRDB
import GatehouseBase
import GatehouseCrypto
import GatehouseQueues
import IdentityToolkit

extension Provider {
  /// Begins a session, or a sign-in that waits for a second factor if the account has one.
  ///
  /// - Returns: The session, or a failure that must not roll back the transaction, because that stores the waiting
  ///   sign-in.
  func begin(
    _ token: RefreshToken, of account: StoredAccount, by provider: String, at now: Moment, in db: Database
  ) throws -> Result<Session, AuthError> {
    let factors = try StoredSecondFactor.all(of: account.uid, in: db)
    guard !factors.isEmpty else {
      var account = account
      account.lastLoginAt = now.milliseconds
      try account.save(db)
      return .success(try Session(beginning: token, of: account, by: provider, at: now, in: db))
    }
    let credential = try ActionCode()
    try account.save(db)
    try db.change("DELETE FROM pendingSignIn WHERE expires <= ?", [now.seconds])
    try WaitingSignIn(
      hash: try ActionCode.hash(credential.secret), uid: account.uid, provider: provider,
      expires: now.seconds + WaitingSignIn.lifetime
    ).insert(db)
    var pending = PendingSignIn(credential: credential.secret, factors: factors.map { $0.info(isMasked: true) })
    pending.uid = account.uid
    return .failure(.secondFactorRequired(pending))
  }
}

// MARK: Signing in

extension FinalizeMfaSignIn: LocalCall {
  func answer(by provider: Provider) throws(AuthError) -> SecondFactorTokens { try provider.finish(self) }
}

extension Provider {
  /// Completes a sign-in with a second factor. After a wrong factor the sign-in keeps waiting, as often as the throttle
  /// allows.
  fileprivate func finish(_ call: FinalizeMfaSignIn) throws(AuthError) -> SecondFactorTokens {
    let now = try now()
    guard !call.mfaPendingCredential.revealed.isEmpty else { throw AuthError(server: .missingMFAPendingCredential) }
    let hash = try ActionCode.hash(call.mfaPendingCredential)
    let (token, proof) = (try RefreshToken(), Result { () throws(AuthError) in try FactorProof(call) })
    let caller = Caller.current
    let outcome = try database.write { db in
      let waiting = try WaitingSignIn.first("SELECT * FROM pendingSignIn WHERE hash = ?", [hash], in: db)
      guard let waiting, waiting.expires > now.seconds,
        var account = try StoredAccount.find(uid: waiting.uid, in: db)
      else { throw AuthError(server: .invalidMFAPendingCredential) }
      try account.requireEnabled()
      try account.requireTenant(call.tenant)
      var failures = try FailedSignIns(factorOf: account, caller, options, at: now, in: db)
      try failures.requireFew(at: now, email: account.email)
      let given = try proof.get()
      guard let factor = try used(by: given, of: account, at: now, in: db) else {
        try failures.add(at: now, in: db)
        // The address is for the audit log; a caller who has passed the first factor knows it.
        let reason = try given.isUsedRecoveryCode(of: account, in: db) ? "this recovery code was used before" : nil
        return Result<Session, AuthError>.failure(AuthError(server: .invalidCode, reason, email: account.email))
      }
      try failures.forget(at: now, in: db)
      try KnownDevice.note(factorOf: caller, for: account, at: now, in: db)
      _ = try waiting.delete(db)
      account.lastLoginAt = now.milliseconds
      try account.update(db)
      return .success(
        try Session(beginning: token, of: account, by: waiting.provider, factor: factor, at: now, in: db))
    }
    return try tokens(try outcome.typed(), at: now)
  }

  /// Returns the factor that a proof is for, and uses the proof up; `nil` if the proof is wrong.
  private func used(
    by proof: FactorProof, of account: StoredAccount, at now: Moment, in db: Database
  ) throws -> UsedFactor? {
    switch proof {
    case .recoveryCode(let code):
      try db.change(
        "UPDATE recoveryCode SET used = ? WHERE hash = ? AND uid = ? AND used IS NULL",
        [now.seconds, try RecoveryCode.hash(code), account.uid])
      return db.changesCount == 1 ? UsedFactor(kind: proof.kind, id: nil) : nil
    case .phone(let info, let named):
      guard
        case .good(let code) = try StoredPhoneCode.take(
          info.code, info.sessionInfo, for: .secondFactor, at: now, in: db)
      else { return nil }
      guard code.uid?.isExactly(account.uid) == true, let id = code.factor, named?.isExactly(id) ?? true else {
        throw AuthError(server: .invalidSessionInfo)
      }
      let factor = try PhoneFactor(StoredSecondFactor.require(id, of: account.uid, in: db))
      // An administrator may have replaced the number since.
      guard factor.number.text.isExactly(code.phoneNumber) else { throw AuthError(server: .invalidSessionInfo) }
      return UsedFactor(kind: proof.kind, id: id)
    case .app(let password, let id):
      var factor = try AppFactor(StoredSecondFactor.require(id, of: account.uid, in: db))
      guard try factor.take(password, at: now) else { return nil }
      try factor.stored.update(db)
      return UsedFactor(kind: proof.kind, id: id)
    }
  }

  fileprivate func tokens(_ session: Session, at now: Moment) throws(AuthError) -> SecondFactorTokens {
    SecondFactorTokens(
      idToken: try keys.idToken(of: session, options, at: now), refreshToken: session.refreshToken.secret)
  }
}

// MARK: Enrolling

extension StartMfaEnrollment: DeliveringCall {
  func answer(by provider: Provider) throws(AuthError) -> Answer<Response> {
    if let phone = phoneEnrollmentInfo {
      return try provider.beginEnrollment(of: idToken, phone: PhoneNumber(phone.phoneNumber), locale)
    }
    guard totpEnrollmentInfo != nil else {
      throw AuthError(server: .operationNotAllowed, "a second factor is an authenticator app or a phone")
    }
    return Answer(try provider.beginEnrollment(of: idToken))
  }
}

extension StartMfaSignIn: DeliveringCall {
  func answer(by provider: Provider) throws(AuthError) -> Answer<Response> { try provider.sendCode(self) }
}

extension FinalizeMfaEnrollment: DeliveringCall {
  func answer(by provider: Provider) throws(AuthError) -> Answer<SecondFactorTokens> { try provider.enroll(self) }
}

extension WithdrawMfa: LocalCall {
  func answer(by provider: Provider) throws(AuthError) -> SecondFactorTokens { try provider.withdraw(self) }
}

extension MakeRecoveryCodes: LocalCall {
  func answer(by provider: Provider) throws(AuthError) -> Response {
    Response(recoveryCodes: try provider.makeRecoveryCodes(of: idToken))
  }
}

extension Provider {
  fileprivate func beginEnrollment(of idToken: Secret) throws(AuthError) -> StartMfaEnrollment.Response {
    let now = try now()
    let bearer = try bearer(of: idToken, at: now)
    let (name, secret) = (try ActionCode(), Base32.encode(try RandomBytes.bytes(20)))
    let pending = PendingFactor(
      hash: try ActionCode.hash(name.secret), uid: bearer.uid, secret: secret,
      expires: now.seconds + PendingFactor.lifetime)
    try database.write { db in
      _ = try enrollable(bearer, StoredSecondFactor.totp, in: db)
      try db.change("DELETE FROM pendingFactor WHERE expires <= ?", [now.seconds])
      try pending.insert(db)
    }
    var session = StartMfaEnrollment.TotpSession(sharedSecretKey: Secret(secret), sessionInfo: name.secret)
    session.verificationCodeLength = OneTimePassword.digits
    session.hashingAlgorithm = "SHA1"
    session.periodSec = Int(OneTimePassword.period)
    session.finalizeEnrollmentTime = Moment(seconds: pending.expires).rfc3339
    return StartMfaEnrollment.Response(session)
  }

  /// An enrolled factor: the new session, and the message to the owner.
  private struct Enrolled: Sendable {
    let session: Session
    let notice: OutgoingMessage?
  }

  /// Completes an enrollment. The other sessions end, because they have shown no second factor. The owner of the
  /// address is told.
  fileprivate func enroll(_ call: FinalizeMfaEnrollment) throws(AuthError) -> Answer<SecondFactorTokens> {
    let now = try now()
    let bearer = try bearer(of: call.idToken, at: now)
    let name = try call.displayName.flatMap(ProfileField.displayName.checked)
    if let proof = call.phoneVerificationInfo { return try enroll(proof, name, bearer, at: now) }
    guard let proof = call.totpVerificationInfo, let sessionInfo = proof.sessionInfo else {
      throw AuthError(server: .missingSessionInfo)
    }
    let hash = try ActionCode.hash(sessionInfo)
    let (token, id) = (try RefreshToken(), try Identifier.make())
    let outcome = try database.write { db in
      let account = try enrollable(bearer, StoredSecondFactor.totp, in: db)
      let pending = try PendingFactor.first("SELECT * FROM pendingFactor WHERE hash = ?", [hash], in: db)
      guard let pending, pending.uid.isExactly(account.uid) else { throw AuthError(server: .invalidSessionInfo) }
      guard pending.expires > now.seconds else { throw AuthError(server: .sessionExpired) }
      var failures = try Attempts.find(.secondFactor, account.uid, options.secondFactorThrottle, at: now, in: db)
      try failures.requireFew(options.secondFactorThrottle, at: now)
      guard let step = try SharedSecret(stored: pending.secret).step(of: proof.verificationCode, at: now) else {
        try failures.add(options.secondFactorThrottle, at: now, in: db)
        return Result<Enrolled, AuthError>.failure(AuthError(server: .invalidCode))
      }
      _ = try pending.delete(db)
      let factor = StoredSecondFactor(
        id: id, uid: account.uid, kind: StoredSecondFactor.totp, displayName: name, secret: pending.secret,
        lastStep: step, enrolledAt: now.milliseconds, byUser: true)
      return .success(try add(factor, to: account, bearer, token, at: now, in: db))
    }
    return try answer(try outcome.typed(), at: now)
  }

  /// Sends a code to a phone that will be a factor.
  fileprivate func beginEnrollment(
    of idToken: Secret, phone: PhoneNumber, _ locale: String?
  ) throws(AuthError) -> Answer<StartMfaEnrollment.Response> {
    let now = try now()
    let bearer = try bearer(of: idToken, at: now)
    let code = try PhoneCode()
    let stored = try code.stored(.enrollment, phone, of: bearer.uid, at: now)
    let caller = Caller.current
    try database.write { db in
      // The caller has not proved to own the number yet: the message counts as a stranger's.
      let account = try enrollable(bearer, StoredSecondFactor.phone, in: db)
      try keep(stored, of: account, caller, at: now, in: db)
    }
    let session = StartMfaEnrollment.PhoneSession(sessionInfo: code.sessionInfo)
    return Answer(
      StartMfaEnrollment.Response(session), texting: OutgoingText(code, to: phone.text, locale, options))
  }

  /// Enrolls a phone as a factor. The other sessions end.
  private func enroll(
    _ proof: PhoneVerificationInfo, _ name: String?, _ bearer: Bearer, at now: Moment
  ) throws(AuthError) -> Answer<SecondFactorTokens> {
    let (token, id) = (try RefreshToken(), try Identifier.make())
    let outcome = try database.write { db in
      let account = try enrollable(bearer, StoredSecondFactor.phone, in: db)
      let code: StoredPhoneCode
      switch try StoredPhoneCode.take(proof.code, proof.sessionInfo, for: .enrollment, at: now, in: db) {
      case .good(let found): code = found
      case .wrong: return Result<Enrolled, AuthError>.failure(AuthError(server: .invalidCode))
      }
      guard code.uid?.isExactly(account.uid) == true else { throw AuthError(server: .invalidSessionInfo) }
      let factors = try StoredSecondFactor.all(of: account.uid, in: db)
      guard !factors.contains(where: { $0.phoneNumber == code.phoneNumber }) else {
        throw AuthError(server: .secondFactorExists)
      }
      let factor = StoredSecondFactor(
        id: id, uid: account.uid, kind: StoredSecondFactor.phone, displayName: name, secret: "",
        phoneNumber: code.phoneNumber, lastStep: 0, enrolledAt: now.milliseconds, byUser: true)
      return .success(try add(factor, to: account, bearer, token, at: now, in: db))
    }
    return try answer(try outcome.typed(), at: now)
  }

  private func add(
    _ factor: StoredSecondFactor, to account: StoredAccount, _ bearer: Bearer, _ token: RefreshToken, at now: Moment,
    in db: Database
  ) throws -> Enrolled {
    try factor.insert(db)
    let used = UsedFactor(kind: factor.kind, id: factor.id)
    let session = try restarted(bearer, account, token, used, at: now, in: db)
    try KnownDevice.note(factorOf: .current, for: account, at: now, in: db)
    return Enrolled(
      session: session,
      notice: try noticeOfEnrollment(of: factor, for: account, at: now, in: db))
  }

  private func answer(_ enrolled: Enrolled, at now: Moment) throws(AuthError) -> Answer<SecondFactorTokens> {
    Answer(try tokens(enrolled.session, at: now), andTelling: enrolled.notice)
  }

  /// Sends a code to a phone that is the second factor of a waiting sign-in.
  fileprivate func sendCode(_ call: StartMfaSignIn) throws(AuthError) -> Answer<StartMfaSignIn.Response> {
    let now = try now()
    let hash = try ActionCode.hash(call.mfaPendingCredential)
    let (code, caller) = (try PhoneCode(), Caller.current)
    let number = try database.write { db in
      let waiting = try WaitingSignIn.first("SELECT * FROM pendingSignIn WHERE hash = ?", [hash], in: db)
      guard let waiting, waiting.expires > now.seconds else {
        throw AuthError(server: .invalidMFAPendingCredential)
      }
      let factor = try PhoneFactor(StoredSecondFactor.require(call.mfaEnrollmentId, of: waiting.uid, in: db))
      let number = factor.number
      // The password was verified.
      let account = try StoredAccount.find(uid: waiting.uid, in: db)
      let stored = try code.stored(.secondFactor, number, of: waiting.uid, factor: factor.stored.id, at: now)
      try keep(stored, of: account, isOwn: true, caller, at: now, in: db)
      return number.text
    }
    return Answer(
      StartMfaSignIn.Response(StartMfaEnrollment.PhoneSession(sessionInfo: code.sessionInfo)),
      texting: OutgoingText(code, to: number, call.locale, options))
  }

  /// Removes a factor. All other sessions end.
  fileprivate func withdraw(_ call: WithdrawMfa) throws(AuthError) -> SecondFactorTokens {
    let now = try now()
    let bearer = try bearer(of: call.idToken, at: now)
    guard !call.mfaEnrollmentId.isEmpty else { throw AuthError(server: .missingMFAEnrollmentID) }
    let token = try RefreshToken()
    let session = try database.write { db in
      let account = try bearer.account(in: db)
      try bearer.requireRecentSignIn(to: account, options, in: db)
      let factor = try StoredSecondFactor.require(call.mfaEnrollmentId, of: account.uid, in: db)
      _ = try factor.delete(db)
      if try StoredSecondFactor.all(of: account.uid, in: db).isEmpty {
        try StoredSecondFactor.forgetAll(of: account.uid, in: db)
      }
      return try restarted(bearer, account, token, nil, at: now, in: db)
    }
    return try tokens(session, at: now)
  }

  fileprivate func makeRecoveryCodes(of idToken: Secret) throws(AuthError) -> [Secret] {
    let now = try now()
    let bearer = try bearer(of: idToken, at: now)
    var codes: [RecoveryCode] = []
    for _ in 0..<RecoveryCode.count { codes.append(try RecoveryCode()) }
    let hashes = try codes.map { code throws(AuthError) in try RecoveryCode.hash(Secret(code.text)) }
    try database.write { db in
      let account = try bearer.account(in: db)
      try bearer.requireRecentSignIn(to: account, options, in: db)
      guard try !StoredSecondFactor.all(of: account.uid, in: db).isEmpty else {
        throw AuthError(server: .mfaEnrollmentNotFound)
      }
      try db.change("DELETE FROM recoveryCode WHERE uid = ?", [account.uid])
      for hash in hashes {
        try db.change("INSERT INTO recoveryCode (hash, uid) VALUES (?, ?)", [hash, account.uid])
      }
    }
    return codes.map { Secret($0.text) }
  }

  /// Returns the bearer's account, if it can enroll another factor of this kind.
  private func enrollable(_ bearer: Bearer, _ kind: String, in db: Database) throws -> StoredAccount {
    let account = try bearer.account(in: db)
    let own = account.tenant.isEmpty ? nil : try TenantRules(of: account.tenant, in: db).secondFactors
    try (own ?? environment.secondFactors).require(kind)
    guard bearer.provider != Session.anonymous, bearer.provider != Session.byCustomToken, account.email != nil else {
      throw AuthError(server: .unsupportedFirstFactor)
    }
    guard account.emailVerified else { throw AuthError(server: .unverifiedEmail) }
    try bearer.requireRecentSignIn(to: account, options, in: db)
    guard try StoredSecondFactor.all(of: account.uid, in: db).count < StoredSecondFactor.most else {
      throw AuthError(server: .secondFactorLimitExceeded)
    }
    return account
  }

  /// Replaces all sessions of the account with a new one.
  private func restarted(
    _ bearer: Bearer, _ account: StoredAccount, _ token: RefreshToken, _ factor: UsedFactor?, at now: Moment,
    in db: Database
  ) throws -> Session {
    var account = account
    let signedIn = try bearer.signedIn(in: db)
    try account.revokeSessions(at: now, in: db)
    try account.update(db)
    return try Session(
      beginning: token, of: account, by: bearer.provider, factor: factor, since: signedIn, at: now, in: db)
  }
}
