import GRDB
import GatehouseBase
import GatehouseQueues
import IdentityToolkit

/// The documents that administrators configure over the protocol, as they were written. The audit log has each change.
struct Resources: ProviderPart {
  let store: ProviderStore

  /// The maximum length of a document, in bytes.
  private static let mostBytes = 65_536
  /// The maximum number of documents of a kind in a project or a tenant.
  private static let most = 1000

  func resource(_ kind: ResourceKind, _ id: String, of tenant: String) throws(AuthError) -> JSONObject? {
    try database.read { db in try StoredResource.find(kind, id, of: tenant, in: db) }
  }

  /// Returns a page of documents with their identifiers, in the order of the identifiers.
  func resources(
    _ kind: ResourceKind, of tenant: String, after id: String, limit: Int
  ) throws(AuthError) -> [(id: String, document: JSONObject)] {
    try database.read { db in
      try Row.fetchAll(
        db,
        sql: "SELECT id, document FROM resource WHERE kind = ? AND tenant = ? AND id > ? ORDER BY id LIMIT ?",
        arguments: [kind.rawValue, tenant, id, limit]
      ).map { row in (row["id"], try StoredResource.read(row["document"])) }
    }
  }

  /// Creates or replaces a document.
  ///
  /// - Parameter change: receives the existing document, or `nil`, and returns the new one.
  func setResource(
    _ kind: ResourceKind, _ id: String, of tenant: String,
    _ change: (JSONObject?) throws(AuthError) -> JSONObject
  ) throws(AuthError) -> JSONObject {
    let now = try now()
    return try database.write { db in
      let old = try StoredResource.find(kind, id, of: tenant, in: db)
      let new = try change(old)
      guard new.serialized().count <= Self.mostBytes else {
        throw AuthError(.invalidArgument, "a configuration has at most \(Self.mostBytes) bytes", server: .invalidConfig)
      }
      if old == nil {
        let count = try Int.fetchOne(
          db, sql: "SELECT count(*) FROM resource WHERE kind = ? AND tenant = ?", arguments: [kind.rawValue, tenant])
        guard (count ?? 0) < Self.most else {
          throw AuthError(.quotaExceeded, "there are \(Self.most) of these already", server: .quotaExceeded)
        }
      }
      try db.change(
        "INSERT OR REPLACE INTO resource (kind, tenant, id, document) VALUES (?, ?, ?, ?)",
        [kind.rawValue, tenant, id, new.description])
      try audit.record(
        AuditEvent(
          .configurationChanged, configuration: kind.rawValue, id, tenant: tenant,
          changed: new.changedNames(from: old ?? [:]), at: now),
        at: now)
      return new
    }
  }

  /// Returns the project's configuration, with the options in effect.
  func configuration() throws(AuthError) -> JSONObject {
    var document = try resource(.project, ProjectConfiguration.id, of: "") ?? [:]
    document["emailPrivacyConfig"] = ["enableImprovedEmailPrivacy": .bool(options.enumerationProtection)]
    return document.named("projects/\(options.projectID)/config")
  }

  /// Changes the project's configuration, which takes effect at once.
  func configure(_ change: DocumentChange) throws(AuthError) {
    try requireOwnDomains(change)
    _ = try configure { old throws(AuthError) in
      var new = change.applied(to: old)
      // Only the provider's owner may set the allowed hosts of links. Answers contain them, and a client sends back
      // what it received.
      new["authorizedDomains"] = nil
      return new
    }
  }

  /// Refuses other authorized domains than those in effect. An emulator ignores them.
  private func requireOwnDomains(_ change: DocumentChange) throws(AuthError) {
    guard !options.isEmulator, let domains = change.changed["authorizedDomains"], !domains.isNull else { return }
    guard domains == .array(options.authorizedDomains.map(JSONValue.string)) else {
      throw AuthError(
        .invalidArgument, "authorizedDomains is set by the provider's owner only: authorizedDomains of provider.json",
        server: .invalidConfig)
    }
  }

  /// Changes the project's configuration, which takes effect at once.
  ///
  /// - Throws: `INVALID_CONFIG` for an invalid configuration.
  func configure(_ change: (JSONObject) throws(AuthError) -> JSONObject) throws(AuthError) -> JSONObject {
    let document = try setResource(.project, ProjectConfiguration.id, of: "") { old throws(AuthError) in
      let new = try change(old ?? [:])
      _ = try ProjectConfiguration(new)
      try SecondFactorRules.check(new["mfa"], "mfa")
      try TextRegions.check(new["smsRegionConfig"])
      return new
    }
    // In a separate transaction, so that of two concurrent changes the one committed last takes effect.
    try database.write { db in try adoptConfiguration(in: db) }
    return document
  }

  /// Applies the project's configuration.
  func adoptConfiguration() throws(AuthError) { try database.read { db in try adoptConfiguration(in: db) } }

  private func adoptConfiguration(in db: Database) throws {
    let document = try StoredResource.find(.project, ProjectConfiguration.id, of: "", in: db) ?? [:]
    let configuration = try ProjectConfiguration(document)
    store.environment.adopt(configuration, protectedTenants: try protectedTenants(in: db))
  }

  /// The tenants whose own documents hide whether an address has an account.
  private func protectedTenants(in db: Database) throws -> Set<String> {
    let sql = "SELECT id, document FROM resource WHERE kind = 'tenant' AND document LIKE '%enableImprovedEmailPrivacy%'"
    let tenants = try Row.fetchAll(db, sql: sql).filter { row in
      let document = try StoredResource.read(row["document"])
      return document["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool == true
    }
    return Set(tenants.map { $0["id"] as String })
  }

  /// - Returns: whether there was such a document.
  func removeResource(_ kind: ResourceKind, _ id: String, of tenant: String) throws(AuthError) -> Bool {
    let now = try now()
    return try database.write { db in
      guard try StoredResource.find(kind, id, of: tenant, in: db) != nil else { return false }
      try db.change("DELETE FROM resource WHERE kind = ? AND tenant = ? AND id = ?", [kind.rawValue, tenant, id])
      try audit.record(
        AuditEvent(
          .configurationChanged, configuration: kind.rawValue, id, tenant: tenant, changed: nil, at: now),
        at: now)
      return true
    }
  }
}

extension JSONObject {
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
