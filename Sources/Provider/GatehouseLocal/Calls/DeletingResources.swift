import GatehouseBase
import IdentityToolkit

extension DeleteResource: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    if kind == .tenant {
      try provider.tenantDocuments.delete(id ?? "")
    } else {
      try ProviderDocuments(kind, in: provider.resources, tenant).delete(id ?? "")
    }
    return Response()
  }
}
