import GRDB
import GatehouseBase
import IdentityToolkit

extension StartMfaSignIn: LocalCall {
  var authority: Authority { .waitingSignIn }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .sending(.changing, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  /// Sends a code to a phone that is the second factor of a waiting sign-in.
  private func answer(by provider: Provider) throws(AuthError) -> Answer<Response> {
    let now = try provider.now()
    let hash = try ActionCode.hash(mfaPendingCredential)
    let (code, caller) = (try PhoneCode(), Caller.current)
    let number = try provider.database.write { db in
      let waiting = try WaitingSignIn.first("SELECT * FROM pendingSignIn WHERE hash = ?", [hash], in: db)
      guard let waiting, waiting.expires > now.seconds else {
        throw AuthError(server: .invalidMFAPendingCredential)
      }
      let factor = try PhoneFactor(StoredSecondFactor.require(mfaEnrollmentId, of: waiting.uid, in: db))
      let number = factor.number
      // The password was verified.
      let account = try StoredAccount.find(uid: waiting.uid, in: db)
      try account?.requireTenant(tenant)
      let stored = try code.stored(.secondFactor, number, of: waiting.uid, factor: factor.stored.id, at: now)
      try provider.messages.keep(stored, of: account, isOwn: true, caller, at: now, in: db)
      return number.text
    }
    return Answer(
      Response(StartMfaEnrollment.PhoneSession(sessionInfo: code.sessionInfo)),
      texting: OutgoingText(code, to: number, locale, provider.options))
  }
}
