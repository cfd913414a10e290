package import GatehouseBase

// Service accounts: programs that administer the project. All of these calls throw the reason why the folder cannot be
// used, and `.closed` after `close()`. Their changes are on the disk, and in the audit log, when they return.
extension LocalBackend {
  /// Returns all service accounts, in the order of their addresses (compared as bytes).
  package func serviceAccounts() async throws(AuthError) -> [ServiceAccountRecord] {
    try await withProvider(.administrator("serviceAccounts")) { provider throws(AuthError) in
      try provider.serviceAccounts.all()
    }
  }

  /// Creates a service account and its key, of which the provider keeps only the public key.
  ///
  /// - Parameter save: saves the account's file, which is in Google's format and contains the private key. Called on a
  ///   background thread. If it throws, the account is not created.
  package func createServiceAccount(
    _ draft: ServiceAccountDraft, savingFile save: @escaping @Sendable (Secret) throws(AuthError) -> Void
  ) async throws(AuthError) -> ServiceAccountRecord {
    try await withProvider(.administrator("createServiceAccount")) { provider throws(AuthError) in
      try provider.serviceAccounts.create(draft, savingFile: save)
    }
  }

  /// Adds a key to a service account, so that its file can be replaced while the previous file remains valid.
  ///
  /// - Parameters:
  ///   - name: the account's name or address.
  ///   - save: saves the file with the new key. Called on a background thread. If it throws, the key is not added.
  /// - Returns: The account, and the new key's identifier.
  package func addServiceAccountKey(
    _ name: String, savingFile save: @escaping @Sendable (Secret) throws(AuthError) -> Void
  ) async throws(AuthError) -> (account: ServiceAccountRecord, keyID: String) {
    try await withProvider(.administrator("addServiceAccountKey")) { provider throws(AuthError) in
      try provider.serviceAccounts.addKey(name, savingFile: save)
    }
  }

  /// Deletes one key of a service account. The access tokens that were issued for it become invalid. The last key of an
  /// account cannot be deleted.
  ///
  /// - Parameters:
  ///   - keyID: the key's identifier.
  ///   - name: the account's name or address.
  /// - Returns: The account after the change.
  package func deleteServiceAccountKey(
    _ keyID: String, of name: String
  ) async throws(AuthError) -> ServiceAccountRecord {
    try await withProvider(.administrator("deleteServiceAccountKey")) { provider throws(AuthError) in
      try provider.serviceAccounts.deleteKey(keyID, of: name)
    }
  }

  /// Deletes a service account. Its keys and its access tokens are invalid from now on.
  ///
  /// - Parameter name: its name or its address.
  /// - Returns: The deleted account.
  package func deleteServiceAccount(_ name: String) async throws(AuthError) -> ServiceAccountRecord {
    try await withProvider(.administrator("deleteServiceAccount")) { provider throws(AuthError) in
      try provider.serviceAccounts.delete(name)
    }
  }

  /// Issues an access token for the assertion of a service account.
  ///
  /// - Parameter audiences: the accepted audiences of the assertion, besides the token URL in the account's file.
  /// - Throws: The verifier's error for an invalid assertion.
  package func accessToken(
    for assertion: Secret, audiences: [String], from caller: Caller = Caller()
  ) async throws(AuthError) -> Secret {
    try await withProvider(.untraced, for: caller) { provider throws(AuthError) in
      try provider.serviceAccounts.accessToken(for: assertion, audiences: audiences)
    }
  }

  /// The lifetime of an access token.
  package static var accessTokenLifetime: Duration { .seconds(AccessToken.lifetime) }

  /// Refuses a bearer token that is neither an access token of a service account nor signed by one for these audiences.
  ///
  /// - Parameter counts: whether a refusal is counted in the audit log.
  /// - Returns: The service account and its key, for the audit log.
  /// - Throws: The verifier's error for an invalid token.
  package func requireAdministrator(
    _ token: Secret, audiences: [String], counting counts: Bool = true, from caller: Caller = Caller()
  ) async throws(AuthError) -> AdministratorCredential {
    try await withProvider(.untraced, for: caller) { provider throws(AuthError) in
      try provider.serviceAccounts.requireAdministrator(token, audiences: audiences, counting: counts)
    }
  }
}
