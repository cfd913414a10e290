import GRDB
import GatehouseBase
import GatehouseCrypto
import IdentityToolkit

extension StartMfaEnrollment: LocalCall {
  var authority: Authority { .user }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .sending(.changing, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Answer<Response> {
    if let phone = phoneEnrollmentInfo {
      return try beginEnrollment(by: provider, phone: PhoneNumber(phone.phoneNumber), locale)
    }
    guard totpEnrollmentInfo != nil else {
      throw AuthError(server: .operationNotAllowed, "a second factor is an authenticator app or a phone")
    }
    return Answer(try beginEnrollment(by: provider))
  }

  private func beginEnrollment(by provider: Provider) throws(AuthError) -> Response {
    let now = try provider.now()
    let bearer = try provider.sessions.bearer(of: idToken, in: tenantId, at: now)
    let (name, secret) = (try ActionCode(), Base32.encode(try RandomBytes.bytes(20)))
    let pending = PendingFactor(
      hash: try ActionCode.hash(name.secret), uid: bearer.uid, secret: secret,
      expires: now.seconds + PendingFactor.lifetime)
    try provider.database.write { db in
      _ = try provider.factors.enrollable(bearer, StoredSecondFactor.totp, in: db)
      try pending.keep(at: now, in: db)
    }
    var session = TotpSession(sharedSecretKey: Secret(secret), sessionInfo: name.secret)
    session.verificationCodeLength = OneTimePassword.digits
    session.hashingAlgorithm = "SHA1"
    session.periodSec = Int(OneTimePassword.period)
    session.finalizeEnrollmentTime = Moment(seconds: pending.expires).rfc3339
    return Response(session)
  }

  /// Sends a code to a phone that will be a factor.
  private func beginEnrollment(
    by provider: Provider, phone: PhoneNumber, _ locale: String?
  ) throws(AuthError) -> Answer<Response> {
    let now = try provider.now()
    let bearer = try provider.sessions.bearer(of: idToken, in: tenantId, at: now)
    let code = try PhoneCode()
    let stored = try code.stored(.enrollment, phone, of: bearer.uid, at: now)
    let caller = Caller.current
    try provider.database.write { db in
      // The caller has not proved to own the number yet: the message counts as a stranger's.
      let account = try provider.factors.enrollable(bearer, StoredSecondFactor.phone, in: db)
      try provider.messages.keep(stored, of: account, caller, at: now, in: db)
    }
    let session = PhoneSession(sessionInfo: code.sessionInfo)
    return Answer(Response(session), texting: OutgoingText(code, to: phone.text, locale, provider.options))
  }
}
