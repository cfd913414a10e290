import GRDB
import GatehouseBase
import IdentityToolkit

extension WithdrawMfa: LocalCall {
  var authority: Authority { .user }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }

  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    guard case .success(let answer) = outcome else { return [] }
    return [AuditEvent(.secondFactorWithdrawn, answer.idToken, at: now)]
  }

  /// Removes a factor. All other sessions end.
  private func answer(by provider: Provider) throws(AuthError) -> SecondFactorTokens {
    let now = try provider.now()
    let bearer = try provider.sessions.bearer(of: idToken, in: tenantId, at: now)
    guard !mfaEnrollmentId.isEmpty else { throw AuthError(server: .missingMFAEnrollmentID) }
    let token = try RefreshToken()
    let session = try provider.database.write { db in
      let account = try bearer.account(in: db)
      try bearer.requireRecentSignIn(to: account, provider.options, in: db)
      try bearer.requireFactor(of: account, in: db)
      let factor = try StoredSecondFactor.require(mfaEnrollmentId, of: account.uid, in: db)
      _ = try factor.delete(db)
      if try StoredSecondFactor.all(of: account.uid, in: db).isEmpty {
        try StoredSecondFactor.forgetAll(of: account.uid, in: db)
      }
      let used = bearer.factor.flatMap { $0.id?.isExactly(factor.id) == true ? nil : $0 }
      return try provider.factors.restarted(bearer, account, token, used, at: now, in: db)
    }
    return try provider.sessions.tokens(session, at: now)
  }
}
