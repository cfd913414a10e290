import GatehouseBase
import GatehouseLocal

extension Route {
  /// What administrators configure: tenants, and the identity providers of the project and of each tenant.
  static let ofResources: [Route] = {
    let tenants = "\(project)/tenants"
    var routes =
      resource("POST", tenants) { try await TenantResource(of: $0).create() }
      + resource("GET", tenants) { try await TenantResource(of: $0).list() }
      + resource("GET", "\(tenants)/{tenantId}") { try await TenantResource(of: $0).read() }
      + resource("PATCH", "\(tenants)/{tenantId}") { try await TenantResource(of: $0).update() }
      + resource("DELETE", "\(tenants)/{tenantId}") { try await TenantResource(of: $0).delete() }
    for parent in [project, "\(tenants)/{tenantId}"] {
      for kind in [ResourceKind.oauthIdpConfig, .inboundSamlConfig] {
        let path = "\(parent)/\(kind.rawValue)s"
        routes += resource("POST", path) { try await ProviderResource(kind, of: $0).create() }
        routes += resource("GET", path) { try await ProviderResource(kind, of: $0).list() }
        routes += resource("GET", "\(path)/{id}") { try await ProviderResource(kind, of: $0).read() }
        routes += resource("PATCH", "\(path)/{id}") { try await ProviderResource(kind, of: $0).update() }
        routes += resource("DELETE", "\(path)/{id}") { try await ProviderResource(kind, of: $0).delete() }
      }
    }
    return routes
  }()

  private static let project = "identitytoolkit.googleapis.com/v2/projects/{project}"

  /// Below the host's name, and at the host's own path.
  static func resource(
    _ method: String, _ path: String, answer: @escaping @Sendable (RoutedRequest) async throws -> ServerResponse
  ) -> [Route] {
    ["/\(path)", String(path.drop { $0 != "/" })].map { path in
      Route(method: method, path: RoutePath(path), access: .administrator) { routed in
        try routed.requireProject()
        return try await answer(routed)
      }
    }
  }
}

/// The identity providers that an administrator configures: OpenID Connect and SAML.
private struct ProviderResource {
  private let kind: ResourceKind
  private let routed: RoutedRequest
  /// Empty for the project itself.
  private let tenant: String

  init(_ kind: ResourceKind, of routed: RoutedRequest) async throws {
    self.kind = kind
    self.routed = routed
    tenant = routed.parameters["tenantId"] ?? ""
    if !tenant.isEmpty { try await routed.scene.provider.requireTenant(tenant) }
  }

  func create() async throws -> ServerResponse {
    let id = routed.item("\(kind.rawValue)Id") ?? ""
    let isNamed =
      id.utf8.count <= 64 && id.hasPrefix(prefix) && id.utf8.count > prefix.utf8.count
      && id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !#"/:?#%"\"#.utf8.contains($0) }
    guard isNamed else {
      throw AuthError(
        .invalidArgument, "\(kind.rawValue)Id must begin with \(prefix), and have at most 64 letters",
        serverCode: "INVALID_CONFIG_ID")
    }
    let document = try ResourceDocument.body(of: routed)
    try check(document)
    let kept = try await routed.scene.provider.setResource(kind, id, of: tenant) { old throws(AuthError) in
      guard old == nil else {
        throw AuthError(.invalidArgument, "there is such a provider already", serverCode: "CONFIGURATION_EXISTS")
      }
      return document
    }
    return answer(id, kept)
  }

  func read() async throws -> ServerResponse {
    guard let document = try await routed.scene.provider.resource(kind, id, of: tenant) else { throw Self.notFound }
    return answer(id, document)
  }

  func list() async throws -> ServerResponse {
    let page = try ResourcePage(of: routed)
    let found = try await routed.scene.provider.resources(kind, of: tenant, after: page.after, limit: page.size)
    return page.answer("\(kind.rawValue)s", found.map { (id: $0.id, document: named($0.id, $0.document)) })
  }

  func update() async throws -> ServerResponse {
    let change = try ResourceChange(of: routed)
    let kept = try await routed.scene.provider.setResource(kind, id, of: tenant) { [self] old throws(AuthError) in
      guard let old else { throw Self.notFound }
      let new = change.applied(to: old)
      try check(new)
      return new
    }
    return answer(id, kept)
  }

  func delete() async throws -> ServerResponse {
    guard try await routed.scene.provider.removeResource(kind, id, of: tenant) else { throw Self.notFound }
    return ServerResponse(json: [:])
  }

  private var id: String { routed.parameters["id"] ?? "" }
  private var prefix: String { kind == .oauthIdpConfig ? "oidc." : "saml." }

  /// Refuses a document without what makes it usable.
  private func check(_ document: JSONObject) throws(AuthError) {
    func refusal(_ word: String, _ advice: String) -> AuthError {
      AuthError(.invalidArgument, advice, serverCode: word)
    }
    func has(_ value: JSONValue?) -> Bool { value?.string?.isEmpty == false }
    guard kind == .inboundSamlConfig else {
      guard has(document["clientId"]) else { throw refusal("MISSING_OAUTH_CLIENT_ID", "clientId is missing") }
      guard let issuer = document["issuer"]?.string, !issuer.isEmpty else {
        throw refusal("MISSING_ISSUER", "issuer is missing")
      }
      guard issuer.hasPrefix("https://") || issuer.hasPrefix("http://") else {
        throw refusal("INVALID_CONFIG", "issuer is not the address of a server")
      }
      return
    }
    let provider = document["idpConfig"]?.object
    guard has(provider?["idpEntityId"]), has(provider?["ssoUrl"]), provider?["idpCertificates"]?.array?.isEmpty == false
    else { throw refusal("INVALID_CONFIG", "idpConfig needs idpEntityId, ssoUrl and idpCertificates") }
    guard has(document["spConfig"]?.object?["spEntityId"]) else {
      throw refusal("MISSING_SAML_RELYING_PARTY_CONFIG", "spConfig needs spEntityId")
    }
  }

  private func named(_ id: String, _ document: JSONObject) -> JSONObject {
    let parent = "projects/\(routed.scene.provider.audience)" + (tenant.isEmpty ? "" : "/tenants/\(tenant)")
    return document.named("\(parent)/\(kind.rawValue)s/\(id)")
  }

  private func answer(_ id: String, _ document: JSONObject) -> ServerResponse {
    ServerResponse(json: named(id, document))
  }

  private static var notFound: AuthError {
    AuthError(.invalidArgument, "there is no such provider", serverCode: "CONFIGURATION_NOT_FOUND")
  }
}

/// The tenants as an administrator configures them. One that was made without a document allows every way to sign in.
private struct TenantResource {
  private let routed: RoutedRequest

  init(of routed: RoutedRequest) { self.routed = routed }

  func create() async throws -> ServerResponse {
    var document = try ResourceDocument.body(of: routed)
    let name = document["displayName"]?.string
    document["displayName"] = nil
    let id = try TenantName.identifier(for: name ?? "")
    // Before the tenant: without its document it would allow every way to sign in.
    let kept = try await routed.scene.provider.setResource(.tenant, id, of: "") { [document] _ in document }
    let record = try await routed.scene.provider.createTenant(id, displayName: name)
    return ServerResponse(json: shown(record, kept))
  }

  func read() async throws -> ServerResponse {
    let record = try await record()
    return ServerResponse(
      json: shown(record, try await routed.scene.provider.resource(.tenant, record.id, of: "")))
  }

  func list() async throws -> ServerResponse {
    let page = try ResourcePage(of: routed)
    // In the order of their identifiers, as bytes.
    let records = try await routed.scene.provider.tenants()
      .drop { !page.after.utf8.lexicographicallyPrecedes($0.id.utf8) }
      .prefix(page.size)
    var found: [(id: String, document: JSONObject)] = []
    for record in records {
      found.append(
        (record.id, shown(record, try await routed.scene.provider.resource(.tenant, record.id, of: ""))))
    }
    return page.answer("tenants", found)
  }

  func update() async throws -> ServerResponse {
    let record = try await record()
    let change = try ResourceChange(of: routed)
    let name = change.applied(to: ["displayName": .string(record.displayName ?? "")])["displayName"]?.string
    let kept = try await routed.scene.provider.setResource(.tenant, record.id, of: "") { old in
      var new = change.applied(to: old ?? Self.everything)
      new["displayName"] = nil
      return new
    }
    try await routed.scene.provider.renameTenant(record.id, name)
    return ServerResponse(json: shown(try await self.record(), kept))
  }

  func delete() async throws -> ServerResponse {
    try await routed.scene.provider.deleteTenant(try await record().id)
    return ServerResponse(json: [:])
  }

  private func record() async throws -> TenantRecord {
    let id = routed.parameters["tenantId"] ?? ""
    guard let found = try await routed.scene.provider.tenants().first(where: { $0.id.isExactly(id) }) else {
      throw AuthError(server: "TENANT_NOT_FOUND")
    }
    return found
  }

  private func shown(_ record: TenantRecord, _ document: JSONObject?) -> JSONObject {
    var shown = document ?? Self.everything
    shown["displayName"] = record.displayName.map(JSONValue.string)
    return shown.named("projects/\(routed.scene.provider.audience)/tenants/\(record.id)")
  }

  private static let everything: JSONObject = [
    "allowPasswordSignup": true, "enableEmailLinkSignin": true, "enableAnonymousUser": true,
  ]
}
