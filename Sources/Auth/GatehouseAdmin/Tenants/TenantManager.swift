public import GatehouseBase

extension AdminAuth {
  /// The tenants of the project.
  public var tenantManager: TenantManager { TenantManager(admin: projectAuth) }
}

/// Makes, changes, lists and deletes the tenants of a project.
///
/// Its calls are an `AdminAuth`'s: they begin on the work queue, are carried out in the background and have a deadline.
/// They throw what those of users throw beside what is said here. Usable from any thread.
public struct TenantManager: Sendable {
  let admin: AdminAuth

  /// The administrator of one tenant's users. Takes no queue.
  public func auth(forTenant tenantID: String) -> AdminAuth { admin.auth(forTenant: tenantID) }

  /// Makes a tenant without users.
  ///
  /// - Parameters:
  ///   - settings: how it is to behave.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Returns: the tenant, with the identifier that the project has made up.
  /// - Throws: `.invalidArgument`, `.quotaExceeded`, …
  public func createTenant(
    _ settings: TenantSettings, timeout: Duration? = nil
  ) async throws(AuthError) -> Tenant {
    try await admin.call(timeout: timeout) { desk throws(AuthError) in try await desk.createTenant(settings) }
  }

  /// Makes a tenant without users.
  public func createTenant(
    _ settings: TenantSettings, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping AdminAuth.Completion<Tenant>
  ) {
    admin.call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.createTenant(settings) }
  }

  /// One tenant.
  ///
  /// - Parameters:
  ///   - tenantID: the tenant's identifier.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument`, with the server code `TENANT_NOT_FOUND`, …
  public func getTenant(
    _ tenantID: String, timeout: Duration? = nil
  ) async throws(AuthError) -> Tenant {
    try await admin.call(timeout: timeout) { desk throws(AuthError) in try await desk.tenant(tenantID) }
  }

  /// One tenant.
  public func getTenant(
    _ tenantID: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping AdminAuth.Completion<Tenant>
  ) {
    admin.call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.tenant(tenantID) }
  }

  /// Some of the tenants.
  ///
  /// - Parameters:
  ///   - maxResults: how many at most, 1 to 100.
  ///   - pageToken: names the page, by the page before; `nil` for the first one.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument`, …
  public func listTenants(
    maxResults: Int = 100, pageToken: String? = nil, timeout: Duration? = nil
  ) async throws(AuthError) -> TenantPage {
    try await admin.call(timeout: timeout) { desk throws(AuthError) in try await desk.tenants(maxResults, pageToken) }
  }

  /// Some of the tenants.
  public func listTenants(
    maxResults: Int = 100, pageToken: String? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping AdminAuth.Completion<TenantPage>
  ) {
    admin.call(timeout: timeout, to: completion) { desk throws(AuthError) in
      try await desk.tenants(maxResults, pageToken)
    }
  }

  /// Has a tenant behave otherwise: read its settings, change them, and give all of them. Of two changes at once the
  /// last one counts.
  ///
  /// - Parameters:
  ///   - tenantID: the tenant's identifier.
  ///   - settings: how it is to behave. What `TenantSettings` does not name is left as it is.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Returns: the tenant as it is then.
  /// - Throws: `.invalidArgument`, with the server code `TENANT_NOT_FOUND`, …
  public func updateTenant(
    _ tenantID: String, _ settings: TenantSettings, timeout: Duration? = nil
  ) async throws(AuthError) -> Tenant {
    try await admin.call(timeout: timeout) { desk throws(AuthError) in try await desk.updateTenant(tenantID, settings) }
  }

  /// Has a tenant behave otherwise.
  public func updateTenant(
    _ tenantID: String, _ settings: TenantSettings, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping AdminAuth.Completion<Tenant>
  ) {
    admin.call(timeout: timeout, to: completion) { desk throws(AuthError) in
      try await desk.updateTenant(tenantID, settings)
    }
  }

  /// Deletes a tenant for good, with all of its users and identity providers.
  ///
  /// - Parameters:
  ///   - tenantID: the tenant's identifier.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument`, with the server code `TENANT_NOT_FOUND`, …
  public func deleteTenant(
    _ tenantID: String, timeout: Duration? = nil
  ) async throws(AuthError) {
    try await admin.call(timeout: timeout) { desk throws(AuthError) in try await desk.deleteTenant(tenantID) }
  }

  /// Deletes a tenant for good, with all of its users and identity providers.
  public func deleteTenant(
    _ tenantID: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping AdminAuth.Completion<Void>
  ) {
    admin.call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.deleteTenant(tenantID) }
  }
}
