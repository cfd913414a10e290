import GatehouseBase

extension LocalBackend {
  /// Returns the accounts that lost their address when all spellings of an address became the same, and have no new
  /// address yet.
  ///
  /// `Docs/provider.md` explains when that happens. Call this once after updating from a version that distinguished
  /// spellings.
  ///
  /// - Throws: The reason why the folder cannot be used; `.closed` after `close()`.
  public func lostAddresses() async throws -> [LostAddress] {
    try await withProvider { provider throws(AuthError) in try provider.database.read(LostAddress.all) }
  }

  /// Returns the accounts that lost their address when all spellings of an address became the same, and have no new
  /// address yet.
  public func lostAddresses(@_inheritActorContext completion: @escaping Completion<[LostAddress]>) {
    withProvider(completion: completion) { provider throws(AuthError) in
      try provider.database.read(LostAddress.all)
    }
  }

  /// Refuses a malformed address, and with `isNew` also one that no new account may have because it looks like another
  /// one. Opens nothing. The call that follows refuses such an address for the same reason.
  package static func checkAddress(_ text: String, isNew: Bool) throws(AuthError) {
    let address = try EmailAddress(text)
    if isNew { try address.requireHonest() }
  }

  /// Refuses an address that an account already has, like a sign-up.
  package func requireFree(_ text: String) async throws(AuthError) {
    let address = try EmailAddress(text)
    try await withProvider { provider throws(AuthError) in
      try provider.database.read { db in try StoredAccount.requireFree(address, of: "", in: db) }
    }
  }

  /// Refuses an address that an account of the tenant already has.
  package func requireFree(_ text: String, inTenant tenantID: String) async throws(AuthError) {
    let address = try EmailAddress(text)
    try await withProvider { provider throws(AuthError) in
      try provider.requireTenant(tenantID)
      try provider.database.read { db in try StoredAccount.requireFree(address, of: tenantID, in: db) }
    }
  }
}
