import GatehouseBase
import IdentityToolkit

extension CreateAuthUri: LocalCall {
  var authority: Authority { .stranger }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.reading, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  /// With enumeration protection, the answer is empty for every address.
  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let email = try EmailAddress(identifier)
    var response = Response()
    if let sessionId { response.sessionId = sessionId } else { response.sessionId = try Identifier.make() }
    guard !provider.options.enumerationProtection else { return response }
    let methods = try provider.database.read { db in
      try StoredAccount.find(email, of: tenant, in: db).map { account in try account.signInMethods(in: db) }
    }
    response.registered = methods != nil
    response.signinMethods = methods ?? []
    let providers = (methods ?? []).map { $0.isExactly("emailLink") ? Session.byPassword : $0 }
    response.allProviders = Set(providers).sorted()
    return response
  }
}
