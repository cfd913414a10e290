import GatehouseBase
import IdentityToolkit

extension DeleteAccount: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    _ = try provider.administration.delete(try provider.administration.name(of: localId, in: tenant))
    return Response()
  }
}
