public import GatehouseBase

// Tenants. All of these calls throw why the folder cannot be used, and `.closed` after `close()`. What they change is
// on the disk, and in the audit log, when they return.
extension LocalBackend {
  /// All tenants, in the order of their identifiers (compared as bytes).
  public func tenants() async throws(AuthError) -> [TenantRecord] {
    try await withProvider { provider throws(AuthError) in try provider.tenants() }
  }

  /// All tenants, in the order of their identifiers (compared as bytes).
  public func tenants(@_inheritActorContext completion: @escaping Completion<[TenantRecord]>) {
    withProvider(completion: completion) { provider throws(AuthError) in try provider.tenants() }
  }

  /// Makes a tenant, which has no accounts yet.
  ///
  /// - Parameters:
  ///   - id: 1 to 64 letters of ASCII, digits and hyphens; what an app sets as `Auth.tenantID`.
  ///   - displayName: the name to show to administrators.
  /// - Throws: `.invalidArgument` for another identifier, or one that a tenant has already.
  public func createTenant(_ id: String, displayName: String? = nil) async throws(AuthError) -> TenantRecord {
    try await withProvider { provider throws(AuthError) in try provider.createTenant(id, displayName) }
  }

  /// Makes a tenant, which has no accounts yet.
  public func createTenant(
    _ id: String, displayName: String? = nil, @_inheritActorContext completion: @escaping Completion<TenantRecord>
  ) {
    withProvider(completion: completion) { provider throws(AuthError) in try provider.createTenant(id, displayName) }
  }

  /// Deletes a tenant and all its accounts, for good. When it throws, accounts may be gone already: call it again.
  ///
  /// - Throws: `.invalidArgument` for a tenant that is not there.
  public func deleteTenant(_ id: String) async throws(AuthError) {
    try await withProvider { provider throws(AuthError) in try provider.deleteTenant(id) }
  }

  /// Deletes a tenant and all its accounts, for good.
  public func deleteTenant(_ id: String, @_inheritActorContext completion: @escaping Completion<Void>) {
    withProvider(completion: completion) { provider throws(AuthError) in try provider.deleteTenant(id) }
  }
}
