import GatehouseBase

extension AdminAuth {
  /// The tenants of the project.
  public var tenantManager: TenantManager { TenantManager(admin: projectAuth) }
}

/// Creates, changes, lists and deletes the tenants of a project.
///
/// Its calls work like those of `AdminAuth`: they begin on the work queue, are carried out in the background and have a
/// deadline. Besides the errors listed here, they throw those of the calls about users. Usable from any thread.
public struct TenantManager: Sendable {
  let admin: AdminAuth

  /// Returns the administrator of one tenant's users. Does not wait for a queue.
  public func auth(forTenant tenantID: String) -> AdminAuth { admin.auth(forTenant: tenantID) }

  /// Creates a tenant without users.
  ///
  /// - Parameters:
  ///   - settings: the tenant's settings.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Returns: The tenant, with the identifier that the project chose.
  /// - Throws: `.invalidArgument`, `.quotaExceeded`, …
  public func createTenant(
    _ settings: TenantSettings, timeout: Duration? = nil
  ) async throws -> Tenant {
    try await admin.call(timeout: timeout) { desk throws(AuthError) in try await desk.createTenant(settings) }
  }

  /// Creates a tenant without users.
  public func createTenant(
    _ settings: TenantSettings, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Tenant>
  ) {
    admin.call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.createTenant(settings) }
  }

  /// Returns one tenant.
  ///
  /// - Parameters:
  ///   - tenantID: the tenant's identifier.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument`, with the server code `TENANT_NOT_FOUND`, …
  public func getTenant(
    _ tenantID: String, timeout: Duration? = nil
  ) async throws -> Tenant {
    try await admin.call(timeout: timeout) { desk throws(AuthError) in try await desk.tenant(tenantID) }
  }

  /// Returns one tenant.
  public func getTenant(
    _ tenantID: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Tenant>
  ) {
    admin.call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.tenant(tenantID) }
  }

  /// Returns a page of the tenants.
  ///
  /// - Parameters:
  ///   - maxResults: the maximum number of tenants, 1 to 100.
  ///   - pageToken: the token from the previous page; `nil` for the first page.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument`, …
  public func listTenants(
    maxResults: Int = 100, pageToken: String? = nil, timeout: Duration? = nil
  ) async throws -> TenantPage {
    try await admin.call(timeout: timeout) { desk throws(AuthError) in try await desk.tenants(maxResults, pageToken) }
  }

  /// Returns a page of the tenants.
  public func listTenants(
    maxResults: Int = 100, pageToken: String? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<TenantPage>
  ) {
    admin.call(timeout: timeout, to: completion) { desk throws(AuthError) in
      try await desk.tenants(maxResults, pageToken)
    }
  }

  /// Replaces a tenant's settings: read them, change them, and pass all of them. If two changes are made at once, the
  /// last one wins.
  ///
  /// - Parameters:
  ///   - tenantID: the tenant's identifier.
  ///   - settings: the new settings. Settings that `TenantSettings` does not include are not changed.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Returns: The tenant after the change.
  /// - Throws: `.invalidArgument`, with the server code `TENANT_NOT_FOUND`, …
  public func updateTenant(
    _ tenantID: String, _ settings: TenantSettings, timeout: Duration? = nil
  ) async throws -> Tenant {
    try await admin.call(timeout: timeout) { desk throws(AuthError) in try await desk.updateTenant(tenantID, settings) }
  }

  /// Replaces a tenant's settings.
  public func updateTenant(
    _ tenantID: String, _ settings: TenantSettings, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Tenant>
  ) {
    admin.call(timeout: timeout, to: completion) { desk throws(AuthError) in
      try await desk.updateTenant(tenantID, settings)
    }
  }

  /// Permanently deletes a tenant, with all of its users and identity providers.
  ///
  /// - Parameters:
  ///   - tenantID: the tenant's identifier.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument`, with the server code `TENANT_NOT_FOUND`, …
  public func deleteTenant(
    _ tenantID: String, timeout: Duration? = nil
  ) async throws {
    try await admin.call(timeout: timeout) { desk throws(AuthError) in try await desk.deleteTenant(tenantID) }
  }

  /// Permanently deletes a tenant, with all of its users and identity providers.
  public func deleteTenant(
    _ tenantID: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    admin.call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.deleteTenant(tenantID) }
  }
}
