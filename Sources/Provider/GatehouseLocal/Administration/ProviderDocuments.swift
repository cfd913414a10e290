import GatehouseBase
import IdentityToolkit

/// The identity providers of one kind that an administrator configures, for the project or one tenant.
struct ProviderDocuments {
  private let kind: ResourceKind
  private let resources: Resources
  /// The tenant; empty for the project itself.
  private let tenant: String

  init(_ kind: ResourceKind, in resources: Resources, _ tenant: String) {
    self.kind = kind
    self.resources = resources
    self.tenant = tenant
  }

  func create(_ id: String, _ document: JSONObject) throws(AuthError) -> JSONObject {
    let isNamed =
      id.utf8.count <= 64 && id.hasPrefix(prefix) && id.utf8.count > prefix.utf8.count
      && id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !#"/:?#%"\"#.utf8.contains($0) }
    guard isNamed else {
      throw AuthError(
        .invalidArgument, "\(kind.rawValue)Id must begin with \(prefix), and have at most 64 letters",
        server: .invalidConfigID)
    }
    try check(document)
    let kept = try resources.setResource(kind, id, of: tenant) { old throws(AuthError) in
      guard old == nil else { throw AuthError(server: .configurationExists) }
      return document
    }
    return named(id, kept)
  }

  func read(_ id: String) throws(AuthError) -> JSONObject {
    guard let document = try resources.resource(kind, id, of: tenant) else { throw Self.notFound }
    return named(id, document)
  }

  func list(after: String, _ size: Int) throws(AuthError) -> [(id: String, document: JSONObject)] {
    try resources.resources(kind, of: tenant, after: after, limit: size).map { ($0.id, named($0.id, $0.document)) }
  }

  func update(_ id: String, _ change: DocumentChange) throws(AuthError) -> JSONObject {
    let kept = try resources.setResource(kind, id, of: tenant) { old throws(AuthError) in
      guard let old else { throw Self.notFound }
      let new = change.applied(to: old)
      try check(new)
      return new
    }
    return named(id, kept)
  }

  func delete(_ id: String) throws(AuthError) {
    guard try resources.removeResource(kind, id, of: tenant) else { throw Self.notFound }
  }

  private var prefix: String { kind == .oauthIdpConfig ? "oidc." : "saml." }

  /// Refuses a document that lacks required members.
  private func check(_ document: JSONObject) throws(AuthError) {
    func has(_ value: JSONValue?) -> Bool { value?.string?.isEmpty == false }
    guard kind == .inboundSamlConfig else {
      guard has(document["clientId"]) else { throw AuthError(server: .missingOAuthClientID) }
      guard let issuer = document["issuer"]?.string, !issuer.isEmpty else { throw AuthError(server: .missingIssuer) }
      guard issuer.hasPrefix("https://") || issuer.hasPrefix("http://") else {
        throw AuthError(server: .invalidConfig, "issuer is not the address of a server")
      }
      guard !WebAddress.hasUser(issuer) else {
        throw AuthError(server: .invalidConfig, "issuer has a user name or a password before its host; leave them out")
      }
      return
    }
    let configured = document["idpConfig"]?.object
    guard has(configured?["idpEntityId"]), has(configured?["ssoUrl"]),
      configured?["idpCertificates"]?.array?.isEmpty == false
    else { throw AuthError(server: .invalidConfig, "idpConfig needs idpEntityId, ssoUrl and idpCertificates") }
    guard has(document["spConfig"]?.object?["spEntityId"]) else {
      throw AuthError(server: .missingSAMLRelyingPartyConfig)
    }
  }

  private func named(_ id: String, _ document: JSONObject) -> JSONObject {
    let parent = "projects/\(resources.options.projectID)" + (tenant.isEmpty ? "" : "/tenants/\(tenant)")
    return document.named("\(parent)/\(kind.collection)/\(id)")
  }

  private static var notFound: AuthError { AuthError(server: .configurationNotFound) }
}
