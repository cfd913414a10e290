public import GatehouseBase

extension LocalBackend {
  /// The accounts that lost their address when all spellings of an address became one, and have no other one yet.
  ///
  /// `Docs/provider.md` tells when that happens. Ask once after updating from a version that told spellings apart.
  ///
  /// - Throws: why the folder cannot be used; `.closed` after `close()`.
  public func lostAddresses() async throws(AuthError) -> [LostAddress] {
    try await withProvider { provider throws(AuthError) in try provider.database.read(LostAddress.all) }
  }

  /// The accounts that lost their address when all spellings of an address became one, and have no other one yet.
  public func lostAddresses(@_inheritActorContext completion: @escaping Completion<[LostAddress]>) {
    withProvider(completion: completion) { provider throws(AuthError) in
      try provider.database.read(LostAddress.all)
    }
  }

  /// Refuses an address that is malformed, or with `isNew` one that no new account may have because it prints like
  /// another one. Opens nothing; the call that follows refuses it for the same reason.
  package static func checkAddress(_ text: String, isNew: Bool) throws(AuthError) {
    let address = try EmailAddress(text)
    if isNew { try address.requireHonest() }
  }

  /// Refuses an address that an account has already, as a sign-up does.
  package func requireFree(_ text: String) async throws(AuthError) {
    let address = try EmailAddress(text)
    try await withProvider { provider throws(AuthError) in
      try provider.database.read { db in try StoredAccount.requireFree(address, of: "", in: db) }
    }
  }

  /// Refuses an address that an account of the tenant has already.
  package func requireFree(_ text: String, inTenant tenantID: String) async throws(AuthError) {
    let address = try EmailAddress(text)
    try await withProvider { provider throws(AuthError) in
      try provider.requireTenant(tenantID)
      try provider.database.read { db in try StoredAccount.requireFree(address, of: tenantID, in: db) }
    }
  }
}
