import GatehouseBase
import IdentityToolkit

extension ListResources: LocalCall {
  var authority: Authority { .administrator }
  /// It waits for the disk, for its event: the documents have the secrets of identity providers.
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }
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
    let now = try provider.now()
    var event = AuditEvent.given(.configurationRead, found.count, of: tenant, at: now)
    event["kind"] = kind.rawValue
    try provider.audit.record(event, at: now)
    var json: JSONObject = [:]
    if !found.isEmpty { json[kind.collection] = .array(found.map { .object($0.document) }) }
    // A full page may be the last one; then the next page is empty.
    if found.count == size { json["nextPageToken"] = found.last.map { .string($0.id) } }
    return Response(json)
  }
}
