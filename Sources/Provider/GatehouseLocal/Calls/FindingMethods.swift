import GatehouseBase
import IdentityToolkit

extension CreateAuthUri: LocalCall {
  var authority: Authority { .stranger }
  /// Without enumeration protection, the answer is counted.
  func steps(_ options: LocalOptions) -> CallSteps<Response> {
    .plain(options.enumerationProtection ? .reading : .changing, answer)
  }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  /// With enumeration protection, the answer is empty for every address.
  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let email = try EmailAddress(identifier)
    var response = Response()
    if let sessionId { response.sessionId = sessionId } else { response.sessionId = try Identifier.make() }
    guard !provider.hidesAccounts(of: tenant) else { return response }
    let now = try provider.now(), caller = Caller.current
    let methods = try provider.database.write { db in
      try provider.signIns.countSignUp(caller, at: now, in: db)
      return try StoredAccount.find(email, of: tenant, in: db).map { account in try account.signInMethods(in: db) }
    }
    response.registered = methods != nil
    response.signinMethods = methods ?? []
    let providers = (methods ?? []).map { $0.isExactly("emailLink") ? Session.byPassword : $0 }
    response.allProviders = providers.exactly.map(\.text).sorted()
    return response
  }
}
