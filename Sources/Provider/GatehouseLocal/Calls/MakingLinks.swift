import GRDB
import GatehouseBase
import IdentityToolkit

extension MakeActionLink: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .sending(.changing, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Answer<Response> {
    if returnOobLink != true { try provider.messages.deliveries.require() }
    return try makeLink(by: provider)
  }

  /// The equivalent call of a client.
  fileprivate var call: SendOobCode {
    var call = SendOobCode(requestType)
    call.email = email
    call.newEmail = newEmail
    call.continueUrl = continueUrl
    call.linkDomain = linkDomain
    call.canHandleCodeInApp = canHandleCodeInApp
    call.tenantId = tenantId
    call.locale = locale
    return call
  }

  /// Makes the link of a message for an administrator, who learns whether there is an account. Nothing is throttled.
  private func makeLink(by provider: Provider) throws(AuthError) -> Answer<Response> {
    let call = call
    let email = try call.recipient()
    let (link, code, now) = (try ActionLink(call, provider.options), try ActionCode(), try provider.now())
    var recipient = email
    switch call.requestType {
    case .passwordReset, .verifyEmail: break
    case .emailSignIn:
      try email.requireHonest()
      if call.continueUrl?.isEmpty ?? true { throw AuthError(server: .missingContinueURI) }
    case .verifyAndChangeEmail:
      guard let new = call.newEmail else { throw AuthError(server: .missingNewEmail) }
      recipient = try EmailAddress(new)
      try recipient.requireHonest()
    default: throw AuthError(server: call.requestType.rawValue.isEmpty ? .missingReqType : .invalidReqType)
    }
    let message = try provider.database.write { db in
      let account = try StoredAccount.find(email, of: call.tenant, in: db)
      try account?.requireEnabled()
      if call.requestType == .verifyAndChangeEmail,
        try provider.messages.isTaken(recipient, of: call.tenant, for: account, in: db)
      {
        throw AuthError(server: .emailExists, email: recipient.text)
      }
      guard account != nil || call.requestType == .emailSignIn else {
        throw AuthError(server: .emailNotFound, email: email.text)
      }
      try StoredActionCode.forgetExpired(at: now, in: db)
      let message = try provider.messages.message(
        call.requestType, code, link, to: recipient, of: call.requestType == .emailSignIn ? nil : account, call,
        at: now,
        in: db)
      var event = AuditEvent.given(returnOobLink == true ? .linkMade : .messageSent, of: call.tenant, at: now)
      event["uid"] = account?.uid
      event["email"] = email.text
      event["method"] = call.requestType.rawValue
      try provider.audit.record(event, at: now)
      return message
    }
    var response = Response(email: email.text)
    guard returnOobLink == true else { return Answer(response, sending: message) }
    provider.options.linkMade?(message)
    response.oobCode = message.code
    response.oobLink = message.link
    return Answer(response)
  }
}
