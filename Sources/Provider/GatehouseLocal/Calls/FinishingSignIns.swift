import GRDB
import GatehouseBase
import IdentityToolkit

// The second step of a sign-in, with a second factor.

extension FinalizeMfaSignIn: LocalCall {
  var authority: Authority { .waitingSignIn }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }

  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    let method = (try? FactorProof(self))?.kind ?? StoredSecondFactor.totp
    switch outcome {
    case .success(let answer): return [AuditEvent(.signIn, answer.idToken, method, at: now)]
    case .failure(let error): return AuditEvent.refusal(error, method, error.email, at: now)
    }
  }

  /// Completes a sign-in with a second factor. After a wrong factor the sign-in keeps waiting, as often as the throttle
  /// allows.
  private func answer(by provider: Provider) throws(AuthError) -> SecondFactorTokens {
    let now = try provider.now()
    guard !mfaPendingCredential.revealed.isEmpty else { throw AuthError(server: .missingMFAPendingCredential) }
    let hash = try ActionCode.hash(mfaPendingCredential)
    let (token, proof) = (try RefreshToken(), Result { () throws(AuthError) in try FactorProof(self) })
    let caller = Caller.current
    let outcome = try provider.database.write { db in
      let waiting = try WaitingSignIn.first("SELECT * FROM pendingSignIn WHERE hash = ?", [hash], in: db)
      guard let waiting, waiting.expires > now.seconds,
        var account = try StoredAccount.find(uid: waiting.uid, in: db)
      else { throw AuthError(server: .invalidMFAPendingCredential) }
      try account.requireEnabled()
      try account.requireTenant(tenant)
      var failures = try FailedSignIns(factorOf: account, caller, provider.options, at: now, in: db)
      try failures.requireFew(at: now, email: account.email)
      let given = try proof.get()
      guard let factor = try provider.factors.used(by: given, of: account, at: now, in: db) else {
        try failures.add(at: now, in: db)
        // The address is for the audit log; a caller who has passed the first factor knows it.
        let reason = try given.isUsedRecoveryCode(of: account, in: db) ? "this recovery code was used before" : nil
        return Result<Session, AuthError>.failure(AuthError(server: .invalidCode, reason, email: account.email))
      }
      try failures.forget(at: now, in: db)
      try KnownDevice.note(factorOf: caller, for: account, at: now, in: db)
      try StoredActionCode.forget(confirmedBy: waiting, factor, of: account, caller, in: db)
      _ = try waiting.delete(db)
      account.lastLoginAt = now.milliseconds
      try account.update(db)
      return .success(try Session(beginning: token, of: account, by: waiting.provider, factor: factor, at: now, in: db))
    }
    return try provider.sessions.tokens(try outcome.typed(), at: now)
  }
}
