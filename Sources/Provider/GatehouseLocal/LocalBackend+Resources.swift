package import GatehouseBase

// What an administrator configures over the protocol: see `Provider+Resources.swift`. An empty tenant is the project.
extension LocalBackend {
  package func resource(_ kind: ResourceKind, _ id: String, of tenant: String) async throws(AuthError) -> JSONObject? {
    try await withProvider { provider throws(AuthError) in try provider.resource(kind, id, of: tenant) }
  }

  package func resources(
    _ kind: ResourceKind, of tenant: String, after id: String, limit: Int
  ) async throws(AuthError) -> [(id: String, document: JSONObject)] {
    try await withProvider { provider throws(AuthError) in
      try provider.resources(kind, of: tenant, after: id, limit: limit)
    }
  }

  package func setResource(
    _ kind: ResourceKind, _ id: String, of tenant: String,
    _ change: @escaping @Sendable (JSONObject?) throws(AuthError) -> JSONObject
  ) async throws(AuthError) -> JSONObject {
    try await withProvider { provider throws(AuthError) in try provider.setResource(kind, id, of: tenant, change) }
  }

  /// The project's configuration, with the options that are in force.
  package func configuration() async throws(AuthError) -> JSONObject {
    try await withProvider { provider throws(AuthError) in
      var document = try provider.resource(.project, ProjectConfiguration.id, of: "") ?? [:]
      document["emailPrivacyConfig"] = ["enableImprovedEmailPrivacy": .bool(provider.options.enumerationProtection)]
      return document
    }
  }

  /// Changes the project's configuration, which is in force at once.
  package func configure(
    _ change: @escaping @Sendable (JSONObject) throws(AuthError) -> JSONObject
  ) async throws(AuthError) {
    _ = try await withProvider { provider throws(AuthError) in try provider.configure(change) }
  }

  package func removeResource(_ kind: ResourceKind, _ id: String, of tenant: String) async throws(AuthError) -> Bool {
    try await withProvider { provider throws(AuthError) in try provider.removeResource(kind, id, of: tenant) }
  }

  /// Gives a tenant another name to show.
  package func renameTenant(_ id: String, _ displayName: String?) async throws(AuthError) {
    try await withProvider { provider throws(AuthError) in try provider.renameTenant(id, displayName) }
  }

  /// Refuses a tenant that is not there.
  package func requireTenant(_ id: String) async throws(AuthError) {
    try await withProvider { provider throws(AuthError) in try provider.requireTenant(id) }
  }
}
