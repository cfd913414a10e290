import GatehouseBase
import IdentityToolkit

extension UpdateResource: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let change = try DocumentChange(
      to: (document ?? [:]).nameless, mask: mask, of: kind, isEmulator: provider.options.isEmulator)
    guard kind != .project else {
      try provider.resources.configure(change)
      return Response(try provider.resources.configuration())
    }
    guard kind != .tenant else { return Response(try provider.tenantDocuments.update(id ?? "", change)) }
    return Response(try ProviderDocuments(kind, in: provider.resources, tenant).update(id ?? "", change))
  }
}
