import GatehouseBase

// Tenants. All of these calls throw the reason why the folder cannot be used, and `.closed` after `close()`. Their
// changes are on the disk, and in the audit log, when they return.
extension LocalBackend {
  /// Returns all tenants, in the order of their identifiers (compared as bytes).
  public func tenants() async throws -> [TenantRecord] {
    try await withProvider(.administrator("tenants")) { provider throws(AuthError) in try provider.tenants.all() }
  }

  /// Returns all tenants, in the order of their identifiers (compared as bytes).
  public func tenants(@_inheritActorContext completion: @escaping Completion<[TenantRecord]>) {
    withProvider(.administrator("tenants"), completion: completion) { provider throws(AuthError) in
      try provider.tenants.all()
    }
  }

  /// Creates a tenant without accounts.
  ///
  /// - Parameters:
  ///   - id: the identifier, 1 to 64 ASCII letters, digits and hyphens; an app sets it as `Auth.tenantID`.
  ///   - displayName: the name shown to administrators.
  /// - Throws: `.invalidArgument` for an invalid identifier, or one that a tenant already has.
  public func createTenant(_ id: String, displayName: String? = nil) async throws -> TenantRecord {
    try await withProvider(.administrator("createTenant")) { provider throws(AuthError) in
      try provider.tenants.create(id, displayName)
    }
  }

  /// Creates a tenant without accounts.
  public func createTenant(
    _ id: String, displayName: String? = nil, @_inheritActorContext completion: @escaping Completion<TenantRecord>
  ) {
    withProvider(.administrator("createTenant"), completion: completion) { provider throws(AuthError) in
      try provider.tenants.create(id, displayName)
    }
  }

  /// Permanently deletes a tenant and all its accounts. If it throws, some accounts may already be deleted; call it
  /// again.
  ///
  /// - Throws: `.invalidArgument` for an unknown tenant.
  public func deleteTenant(_ id: String) async throws {
    try await withProvider(.administrator("deleteTenant")) { provider throws(AuthError) in
      try provider.tenants.delete(id)
    }
  }

  /// Permanently deletes a tenant and all its accounts.
  public func deleteTenant(_ id: String, @_inheritActorContext completion: @escaping Completion<Void>) {
    withProvider(.administrator("deleteTenant"), completion: completion) { provider throws(AuthError) in
      try provider.tenants.delete(id)
    }
  }
}
