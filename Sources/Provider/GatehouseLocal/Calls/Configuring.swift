import GatehouseBase
import IdentityToolkit

// The configuration calls. Each is answered by the tenants, or by the identity providers of one kind.

extension CreateResource: LocalCall {
  func answer(by provider: Provider) throws(AuthError) -> Response {
    let document = (document ?? [:]).nameless
    guard kind != .tenant else { return Response(try TenantDocuments(of: provider).create(document)) }
    return Response(try ProviderDocuments(kind, of: provider, tenant).create(newID ?? "", document))
  }
}

extension ReadResource: LocalCall {
  func answer(by provider: Provider) throws(AuthError) -> Response {
    guard kind != .project else { return Response(try provider.configurationDocument()) }
    guard kind != .tenant else { return Response(try TenantDocuments(of: provider).read(id ?? "")) }
    return Response(try ProviderDocuments(kind, of: provider, tenant).read(id ?? ""))
  }
}

extension ListResources: LocalCall {
  func answer(by provider: Provider) throws(AuthError) -> Response {
    let size = pageSize ?? Self.most, after = pageToken ?? ""
    guard (1...Self.most).contains(size) else {
      throw AuthError(.invalidArgument, "pageSize must be 1 to \(Self.most)", server: .invalidArgument)
    }
    let found =
      kind == .tenant
      ? try TenantDocuments(of: provider).list(after: after, size)
      : try ProviderDocuments(kind, of: provider, tenant).list(after: after, size)
    var json: JSONObject = [:]
    if !found.isEmpty { json[kind.collection] = .array(found.map { .object($0.document) }) }
    // A full page may be the last one; then the next page is empty.
    if found.count == size { json["nextPageToken"] = found.last.map { .string($0.id) } }
    return Response(json)
  }
}

extension UpdateResource: LocalCall {
  func answer(by provider: Provider) throws(AuthError) -> Response {
    let change = try DocumentChange(to: (document ?? [:]).nameless, mask: mask)
    guard kind != .project else {
      try provider.configure(change)
      return Response(try provider.configurationDocument())
    }
    guard kind != .tenant else { return Response(try TenantDocuments(of: provider).update(id ?? "", change)) }
    return Response(try ProviderDocuments(kind, of: provider, tenant).update(id ?? "", change))
  }
}

extension DeleteResource: LocalCall {
  func answer(by provider: Provider) throws(AuthError) -> Response {
    if kind == .tenant {
      try TenantDocuments(of: provider).delete(id ?? "")
    } else {
      try ProviderDocuments(kind, of: provider, tenant).delete(id ?? "")
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

  /// Returns the document with its name as the first member.
  func named(_ name: String) -> JSONObject {
    var object: JSONObject = ["name": .string(name)]
    for member in members { object[member.name] = member.value }
    // Like Google's servers.
    if object["testPhoneNumbers"]?.object?.isEmpty == true { object["testPhoneNumbers"] = nil }
    for member in ["emailPrivacyConfig", "responseType"] {
      guard var value = object[member]?.object else { continue }
      // Google's servers omit `false` here, and their clients' tests check for that.
      for name in value.names where value[name]?.bool == false { value[name] = nil }
      object[member] = .object(value)
    }
    return object
  }
}
