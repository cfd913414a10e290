import GatehouseBase
import IdentityToolkit

// The configuration calls. Each is answered by the tenants, or by the identity providers of one kind.

extension CreateResource: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let document = try DocumentForm.of(kind).normal((document ?? [:]).nameless)
    guard kind != .tenant else { return Response(try provider.tenantDocuments.create(document)) }
    return Response(try ProviderDocuments(kind, in: provider.resources, tenant).create(newID ?? "", document))
  }
}

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

extension ListResources: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.reading, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let size = pageSize ?? Self.most, after = pageToken ?? ""
    guard (1...Self.most).contains(size) else {
      throw AuthError(.invalidArgument, "pageSize must be 1 to \(Self.most)", server: .invalidArgument)
    }
    let found =
      kind == .tenant
      ? try provider.tenantDocuments.list(after: after, size)
      : try ProviderDocuments(kind, in: provider.resources, tenant).list(after: after, size)
    var json: JSONObject = [:]
    if !found.isEmpty { json[kind.collection] = .array(found.map { .object($0.document) }) }
    // A full page may be the last one; then the next page is empty.
    if found.count == size { json["nextPageToken"] = found.last.map { .string($0.id) } }
    return Response(json)
  }
}

extension UpdateResource: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let change = try DocumentChange(to: (document ?? [:]).nameless, mask: mask, of: kind)
    guard kind != .project else {
      try provider.resources.configure(change)
      return Response(try provider.resources.configuration())
    }
    guard kind != .tenant else { return Response(try provider.tenantDocuments.update(id ?? "", change)) }
    return Response(try ProviderDocuments(kind, in: provider.resources, tenant).update(id ?? "", change))
  }
}

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

extension JSONObject {
  /// The document without its name, which only the provider sets.
  fileprivate var nameless: JSONObject {
    var document = self
    document["name"] = nil
    return document
  }
}
