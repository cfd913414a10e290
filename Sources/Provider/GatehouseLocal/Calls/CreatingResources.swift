import GatehouseBase
import IdentityToolkit

extension CreateResource: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let form = DocumentForm.of(kind), document = try form.normal((document ?? [:]).nameless)
    if !provider.options.isEmulator { try form.requireEffect(of: document) }
    guard kind != .tenant else { return Response(try provider.tenantDocuments.create(document)) }
    return Response(try ProviderDocuments(kind, in: provider.resources, tenant).create(newID ?? "", document))
  }
}
