import GRDB
package import GatehouseBase

// The administrator's calls, which need no token of the user's. All of them throw why the folder cannot be used,
// `.userNotFound` for an account that is not there, and `.closed` after `close()`. What they change is on the disk, and
// in the audit log, when they return.
extension LocalBackend {
  /// Some accounts, in the order of their identifiers (compared as bytes).
  ///
  /// - Parameters:
  ///   - uid: the account after which the page begins: the last one of the page before; `nil` for the first page.
  ///   - limit: how many at most.
  package func accounts(after uid: String? = nil, limit: Int = 1000) async throws(AuthError) -> [AccountRecord] {
    try await withProvider { provider throws(AuthError) in try provider.accounts(of: nil, after: uid, limit: limit) }
  }

  /// Some accounts of a tenant, in that order.
  package func accounts(
    ofTenant tenantID: String, after uid: String?, limit: Int
  ) async throws(AuthError) -> [AccountRecord] {
    try await withProvider { provider throws(AuthError) in
      try provider.accounts(of: tenantID, after: uid, limit: limit)
    }
  }

  /// One account.
  package func account(_ name: AccountName) async throws(AuthError) -> AccountRecord {
    try await withProvider { provider throws(AuthError) in try provider.account(name) }
  }

  /// Makes an account. Refuses what a sign-up refuses, and an identifier that an account has already.
  package func createAccount(_ draft: AccountDraft) async throws(AuthError) -> AccountRecord {
    try await withProvider { provider throws(AuthError) in try provider.create(draft) }
  }

  /// Changes an account. Another address or password ends its sessions, and a new password the time to wait after
  /// failures.
  package func updateAccount(_ name: AccountName, _ edit: AccountEdit) async throws(AuthError) -> AccountRecord {
    try await withProvider { provider throws(AuthError) in try provider.update(name, edit) }
  }

  /// Deletes an account for good.
  ///
  /// - Returns: the account as it was.
  package func deleteAccount(_ name: AccountName) async throws(AuthError) -> AccountRecord {
    try await withProvider { provider throws(AuthError) in try provider.delete(name) }
  }

  /// Disables an account, or enables it again. Users of a disabled one are refused from the next call on.
  package func setDisabled(_ name: AccountName, _ disabled: Bool) async throws(AuthError) -> AccountRecord {
    try await withProvider { provider throws(AuthError) in try provider.setDisabled(name, disabled) }
  }

  /// Ends every session of an account: its refresh tokens at once, and for the provider's own calls its ID tokens of
  /// earlier seconds. A verifier that does not ask the provider accepts an ID token until it expires.
  package func revoke(_ name: AccountName) async throws(AuthError) -> AccountRecord {
    try await withProvider { provider throws(AuthError) in try provider.revoke(name) }
  }

  /// Disables an account, or enables it again.
  package func setDisabled(uid: String, _ disabled: Bool) async throws(AuthError) {
    _ = try await setDisabled(AccountName(uid), disabled)
  }

  /// Ends every session of an account.
  package func revoke(uid: String) async throws(AuthError) { _ = try await revoke(AccountName(uid)) }

  /// The signing keys, in the order in which they were made.
  package func keyRecords() async throws(AuthError) -> [KeyRecord] {
    try await withProvider { provider throws(AuthError) in try provider.keyRecords() }
  }

  /// Makes the next signing key. It is published at once, and signs after `LocalOptions.keyPublication`; the present
  /// key verifies until its last token has expired. Every process that has the folder open follows.
  ///
  /// - Parameter atOnce: whether the new key, or the one that is published already, signs from now on. A verifier that
  ///   caches the key set may refuse its tokens until it asks again.
  /// - Returns: the keys as they are then.
  package func rotateKeys(atOnce: Bool = false) async throws(AuthError) -> [KeyRecord] {
    try await withProvider { provider throws(AuthError) in try provider.rotateKeys(atOnce: atOnce) }
  }

  /// Takes a signing key back that may be in wrong hands. The published set is without it from now on, its tokens are
  /// refused, and where it signed another key does. A process that has the folder open follows within a second.
  /// Sessions go on, because refresh tokens are not signed.
  ///
  /// - Returns: the keys as they are then.
  /// - Throws: `.invalidArgument` for a key that is not there.
  package func revokeKey(_ keyID: String) async throws(AuthError) -> [KeyRecord] {
    try await withProvider { provider throws(AuthError) in try provider.revokeKey(keyID) }
  }
}

// For tests, and for scripts that measure.
extension LocalBackend {
  /// Does all chores now, by these clocks.
  package func prune(at clocks: any Clocks) async throws(AuthError) {
    try await withProvider { provider throws(AuthError) in
      let now = try Moment(clocks.now())
      while try provider.prune(at: now) {}
      try provider.pruneKeys(at: now)
    }
  }

  /// Does one step of them.
  ///
  /// - Returns: whether more may be left.
  package func pruneOnce() async throws(AuthError) -> Bool {
    try await withProvider { provider throws(AuthError) in try provider.prune(at: provider.now()) }
  }

  /// How many refresh tokens the database knows.
  package func refreshTokenRows() async throws(AuthError) -> Int {
    try await withProvider { provider throws(AuthError) in
      try provider.database.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM refreshToken") ?? 0 }
    }
  }
}
