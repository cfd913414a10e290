import GatehouseBase

extension LocalBackend {
  /// Refuses a malformed address, and with `isNew` also one that no new account may have because it looks like another
  /// one. Opens nothing. The call that follows refuses such an address for the same reason.
  package static func checkAddress(_ text: String, isNew: Bool) throws(AuthError) {
    let address = try EmailAddress(text)
    if isNew { try address.requireHonest() }
  }

  /// Refuses an address that an account already has, like a sign-up.
  package func requireFree(_ text: String) async throws(AuthError) {
    let address = try EmailAddress(text)
    try await withProvider(.untraced) { provider throws(AuthError) in
      try provider.database.read { db in try StoredAccount.requireFree(address, of: "", in: db) }
    }
  }

  /// Refuses an address that an account of the tenant already has.
  package func requireFree(_ text: String, inTenant tenantID: String) async throws(AuthError) {
    let address = try EmailAddress(text)
    try await withProvider(.untraced) { provider throws(AuthError) in
      try provider.tenants.require(tenantID)
      try provider.database.read { db in try StoredAccount.requireFree(address, of: tenantID, in: db) }
    }
  }
}
