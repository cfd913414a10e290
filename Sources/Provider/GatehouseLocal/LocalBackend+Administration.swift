import GRDB
package import GatehouseBase
package import IdentityToolkit

// The administrator's calls, which need no user's token. All of them throw the reason why the folder cannot be used,
// `.userNotFound` for a missing account, and `.closed` after `close()`. Their changes are on the disk, and in the audit
// log, when they return.
extension LocalBackend {
  /// Returns a page of accounts, in the order of their identifiers (compared as bytes).
  ///
  /// - Parameters:
  ///   - uid: the account after which the page begins, which is the last one of the previous page; `nil` for the first
  ///     page.
  ///   - limit: the maximum number of accounts.
  package func accounts(after uid: String? = nil, limit: Int = 1000) async throws(AuthError) -> [AccountRecord] {
    try await withProvider(.administrator("accounts")) { provider throws(AuthError) in
      try provider.administration.accounts(of: nil, after: uid, limit: limit)
    }
  }

  /// Returns a page of a tenant's accounts, in the same order.
  package func accounts(
    ofTenant tenantID: String, after uid: String?, limit: Int
  ) async throws(AuthError) -> [AccountRecord] {
    try await withProvider(.administrator("accounts")) { provider throws(AuthError) in
      try provider.administration.accounts(of: tenantID, after: uid, limit: limit)
    }
  }

  /// Returns one account.
  package func account(_ name: AccountName) async throws(AuthError) -> AccountRecord {
    try await withProvider(.administrator("account")) { provider throws(AuthError) in
      try provider.administration.account(name)
    }
  }

  /// Returns the users of an identity provider who sign in to accounts, in the order of their identifiers at the
  /// provider.
  ///
  /// - Parameter tenantID: the tenant; empty for the project itself.
  package func identities(
    of identityProvider: String, inTenant tenantID: String, limit: Int, by credential: AdministratorCredential? = nil
  ) async throws(AuthError) -> [Account.ProviderUserInfo] {
    try await withProvider(.administrator("identities", credential)) { provider throws(AuthError) in
      try provider.database.read { db in
        try StoredIdentity.all(of: identityProvider, in: tenantID, limit: limit, in: db).map(\.info)
      }
    }
  }

  /// Creates an account. Refuses the same values as a sign-up, and an identifier that an account already has.
  package func createAccount(_ draft: AccountDraft) async throws(AuthError) -> AccountRecord {
    try await withProvider(.administrator("createAccount")) { provider throws(AuthError) in
      try provider.administration.create(draft)
    }
  }

  /// Changes an account. A new address or password ends its sessions. A new password also resets its failure counts.
  package func updateAccount(_ name: AccountName, _ edit: AccountEdit) async throws(AuthError) -> AccountRecord {
    try await withProvider(.administrator("updateAccount")) { provider throws(AuthError) in
      try provider.administration.update(name, edit)
    }
  }

  /// Permanently deletes an account.
  ///
  /// - Returns: The deleted account.
  package func deleteAccount(_ name: AccountName) async throws(AuthError) -> AccountRecord {
    try await withProvider(.administrator("deleteAccount")) { provider throws(AuthError) in
      try provider.administration.delete(name)
    }
  }

  /// Permanently deletes all accounts of a tenant, in one step. For emulators: other calls wait meanwhile.
  ///
  /// - Parameters:
  ///   - tenantID: the tenant; empty for the project itself, without its tenants.
  ///   - credential: the administrator's credential; `nil` for that of the program that holds the provider.
  package func deleteAccounts(
    ofTenant tenantID: String, by credential: AdministratorCredential? = nil
  ) async throws(AuthError) {
    try await withProvider(.administrator("deleteAccounts", credential)) { provider throws(AuthError) in
      try provider.administration.deleteAccounts(of: tenantID)
    }
  }

  /// Returns those codes that can still be used: codes of messages, and identifiers of texts to phones.
  ///
  /// - Parameter tenantID: the codes' tenant; empty for the project itself.
  package func usable(_ codes: [Secret], ofTenant tenantID: String) async throws(AuthError) -> Set<Secret> {
    try await withProvider(.untraced) { provider throws(AuthError) in
      try provider.administration.usable(codes, of: tenantID)
    }
  }

  /// Disables or enables an account. Users of a disabled account are refused from the next call on.
  package func setDisabled(_ name: AccountName, _ disabled: Bool) async throws(AuthError) -> AccountRecord {
    try await withProvider(.administrator("setDisabled")) { provider throws(AuthError) in
      try provider.administration.setDisabled(name, disabled)
    }
  }

  /// Ends every session of an account: its refresh tokens at once, and, for the provider's own calls, its ID tokens of
  /// earlier seconds. A verifier that does not call the provider accepts an ID token until it expires.
  package func revoke(_ name: AccountName) async throws(AuthError) -> AccountRecord {
    try await withProvider(.administrator("revoke")) { provider throws(AuthError) in
      try provider.administration.revoke(name)
    }
  }

  /// Disables or enables an account.
  package func setDisabled(uid: String, _ disabled: Bool) async throws(AuthError) {
    _ = try await setDisabled(.uid(uid), disabled)
  }

  /// Ends every session of an account.
  package func revoke(uid: String) async throws(AuthError) { _ = try await revoke(.uid(uid)) }

  /// Returns the signing keys, in the order in which they were made.
  package func keyRecords() async throws(AuthError) -> [KeyRecord] {
    try await withProvider(.administrator("keyRecords")) { provider throws(AuthError) in try provider.keys.records() }
  }

  /// Makes the next signing key. It is published at once, and signs after `LocalOptions.keyPublication`. The current
  /// key verifies until its last token has expired. The rotation applies to every process that has the folder open.
  ///
  /// - Parameter atOnce: whether the new key, or the one that is already published, signs from now on. A verifier that
  ///   caches the key set may refuse its tokens until it refreshes the set.
  /// - Returns: The keys after the rotation.
  package func rotateKeys(atOnce: Bool = false) async throws(AuthError) -> [KeyRecord] {
    try await withProvider(.administrator("rotateKeys")) { provider throws(AuthError) in
      try provider.keys.rotate(atOnce: atOnce)
    }
  }

  /// Revokes a signing key that may be compromised. It is removed from the published set at once, its tokens are
  /// refused, and if it was the signing key, another key signs. Other processes that have the folder open apply this
  /// within a second. Sessions continue, because refresh tokens are not signed.
  ///
  /// - Returns: The remaining keys.
  /// - Throws: `.invalidArgument` for an unknown key.
  package func revokeKey(_ keyID: String) async throws(AuthError) -> [KeyRecord] {
    try await withProvider(.administrator("revokeKey")) { provider throws(AuthError) in try provider.keys.revoke(keyID)
    }
  }
}

// For tests, and for scripts that measure.
extension LocalBackend {
  /// Runs all chores now, at the time of these clocks.
  package func prune(at clocks: any Clocks) async throws(AuthError) {
    try await withProvider(.untraced) { provider throws(AuthError) in
      let now = try Moment(clocks.now())
      while try provider.upkeep.prune(at: now) {}
      // The chores that calls begin may hold the lock.
      try provider.keys.prune(at: now, patience: 10)
    }
  }

  /// Runs one step of the pruning.
  ///
  /// - Returns: Whether more may be left.
  package func pruneOnce() async throws(AuthError) -> Bool {
    try await withProvider(.untraced) { provider throws(AuthError) in try provider.upkeep.prune(at: provider.now()) }
  }

  /// Whether changes are on the disk when they are acknowledged.
  package func isDurable() async throws(AuthError) -> Bool {
    try await withProvider(.untraced) { provider throws(AuthError) in
      try provider.database.write { db in try Int.fetchOne(db, sql: "PRAGMA synchronous") != 0 }
    }
  }

  /// The number of refresh tokens in the database.
  package func refreshTokenRows() async throws(AuthError) -> Int {
    try await withProvider(.untraced) { provider throws(AuthError) in
      try provider.database.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM refreshToken") ?? 0 }
    }
  }
}
