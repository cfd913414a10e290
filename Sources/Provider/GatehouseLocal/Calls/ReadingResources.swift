import GatehouseBase
import IdentityToolkit

extension ReadResource: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.reading, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    guard kind != .project else { return Response(try provider.resources.configuration()) }
    guard kind != .tenant else { return Response(try provider.tenantDocuments.read(id ?? "")) }
    return Response(try ProviderDocuments(kind, in: provider.resources, tenant).read(id ?? ""))
  }
}
