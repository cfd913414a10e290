import GRDB
import GatehouseBase
import IdentityToolkit

extension SendVerificationCode: LocalCall {
  var authority: Authority { .stranger }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .sending(.changing, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Answer<Response> {
    let number = try PhoneNumber(phoneNumber)
    let now = try provider.now()
    let code = try PhoneCode()
    let stored = try code.stored(.signIn, number, tenant: tenant, at: now)
    let caller = Caller.current
    try provider.database.write { db in
      let account = try StoredAccount.find(phoneNumber: number.text, of: tenant, in: db)
      try provider.messages.keep(stored, of: account, caller, at: now, in: db)
    }
    let text = OutgoingText(code, to: number.text, locale, provider.options)
    return Answer(Response(sessionInfo: code.sessionInfo), texting: text)
  }
}
