import GRDB
import GatehouseBase
import GatehouseCrypto
import IdentityToolkit

extension FinalizeMfaEnrollment: LocalCall {
  var authority: Authority { .user }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .sending(.changing, answer) }

  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    guard case .success(let answer) = outcome else { return [] }
    return [AuditEvent(.secondFactorEnrolled, answer.idToken, at: now)]
  }

  /// An enrolled factor: the new session, and the message to the owner.
  private struct Enrolled: Sendable {
    let session: Session
    let notice: OutgoingMessage?
  }

  /// Completes an enrollment. The other sessions end, because they have shown no second factor. The owner of the
  /// address is told.
  private func answer(by provider: Provider) throws(AuthError) -> Answer<SecondFactorTokens> {
    let now = try provider.now()
    let bearer = try provider.sessions.bearer(of: idToken, in: tenantId, at: now)
    let name = try displayName.flatMap(ProfileField.displayName.checked)
    if let proof = phoneVerificationInfo { return try enroll(by: provider, proof, name, bearer, at: now) }
    guard let proof = totpVerificationInfo, let sessionInfo = proof.sessionInfo else {
      throw AuthError(server: .missingSessionInfo)
    }
    let hash = try ActionCode.hash(sessionInfo)
    let (token, id) = (try RefreshToken(), try Identifier.make())
    let outcome = try provider.database.write { db in
      let account = try provider.factors.enrollable(bearer, StoredSecondFactor.totp, in: db)
      let pending = try PendingFactor.first("SELECT * FROM pendingFactor WHERE hash = ?", [hash], in: db)
      guard let pending, pending.uid.isExactly(account.uid) else { throw AuthError(server: .invalidSessionInfo) }
      guard pending.expires > now.seconds else { throw AuthError(server: .sessionExpired) }
      var failures = try Attempts.find(
        .secondFactor, account.uid, provider.options.secondFactorThrottle, at: now, in: db)
      try failures.requireFew(provider.options.secondFactorThrottle, at: now)
      guard let step = try SharedSecret(stored: pending.secret).step(of: proof.verificationCode, at: now) else {
        try failures.add(provider.options.secondFactorThrottle, at: now, in: db)
        return Result<Enrolled, AuthError>.failure(AuthError(server: .invalidCode))
      }
      _ = try pending.delete(db)
      let factor = StoredSecondFactor(
        id: id, uid: account.uid, kind: StoredSecondFactor.totp, displayName: name, secret: pending.secret,
        lastStep: step, enrolledAt: now.milliseconds, byUser: true)
      return .success(try add(by: provider, factor, to: account, bearer, token, at: now, in: db))
    }
    return try answer(by: provider, try outcome.typed(), at: now)
  }

  /// Enrolls a phone as a factor. The other sessions end.
  private func enroll(
    by provider: Provider, _ proof: PhoneVerificationInfo, _ name: String?, _ bearer: Bearer, at now: Moment
  ) throws(AuthError) -> Answer<SecondFactorTokens> {
    let (token, id) = (try RefreshToken(), try Identifier.make())
    let outcome = try provider.database.write { db in
      let account = try provider.factors.enrollable(bearer, StoredSecondFactor.phone, in: db)
      let code: StoredPhoneCode
      switch try StoredPhoneCode.take(proof.code, proof.sessionInfo, for: .enrollment, at: now, in: db) {
      case .good(let found): code = found
      case .wrong: return Result<Enrolled, AuthError>.failure(AuthError(server: .invalidCode))
      }
      guard code.uid?.isExactly(account.uid) == true else { throw AuthError(server: .invalidSessionInfo) }
      let factors = try StoredSecondFactor.all(of: account.uid, in: db)
      guard !factors.contains(where: { $0.phoneNumber.isExactly(code.phoneNumber) }) else {
        throw AuthError(server: .secondFactorExists)
      }
      let factor = StoredSecondFactor(
        id: id, uid: account.uid, kind: StoredSecondFactor.phone, displayName: name, secret: "",
        phoneNumber: code.phoneNumber, lastStep: 0, enrolledAt: now.milliseconds, byUser: true)
      return .success(try add(by: provider, factor, to: account, bearer, token, at: now, in: db))
    }
    return try answer(by: provider, try outcome.typed(), at: now)
  }

  private func add(
    by provider: Provider, _ factor: StoredSecondFactor, to account: StoredAccount, _ bearer: Bearer,
    _ token: RefreshToken, at now: Moment,
    in db: Database
  ) throws -> Enrolled {
    try factor.insert(db)
    // Before the sessions end, and with them what the account knows.
    let ownersDevices = try KnownDevice.ownersHashes(of: account.uid, in: db)
    let used = UsedFactor(kind: factor.kind, id: factor.id)
    let session = try provider.factors.restarted(bearer, account, token, used, at: now, in: db)
    try KnownDevice.note(factorOf: .current, for: account, at: now, in: db)
    return Enrolled(
      session: session,
      notice: try provider.messages.noticeOfEnrollment(
        of: factor, for: account, ownersDevices: ownersDevices, at: now, in: db))
  }

  private func answer(by provider: Provider, _ enrolled: Enrolled, at now: Moment) throws(AuthError) -> Answer<
    SecondFactorTokens
  > {
    Answer(try provider.sessions.tokens(enrolled.session, at: now), andTelling: enrolled.notice)
  }
}
