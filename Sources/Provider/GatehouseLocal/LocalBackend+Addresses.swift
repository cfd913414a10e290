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
}
