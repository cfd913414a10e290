package import GatehouseBase

// Service accounts: programs that administer the project. All of these calls throw why the folder cannot be used, and
// `.closed` after `close()`. What they change is on the disk, and in the audit log, when they return.
extension LocalBackend {
  /// All service accounts, in the order of their addresses (compared as bytes).
  package func serviceAccounts() async throws(AuthError) -> [ServiceAccountRecord] {
    try await withProvider { provider throws(AuthError) in try provider.serviceAccounts() }
  }

  /// Makes a service account and its key, of which the provider keeps the public half only.
  ///
  /// - Parameter save: keeps the account's file, which is in the form of Google's and holds the private key. Called on
  ///   a background thread. When it throws, there is no account.
  package func createServiceAccount(
    _ draft: ServiceAccountDraft, savingFile save: @escaping @Sendable (Secret) throws(AuthError) -> Void
  ) async throws(AuthError) -> ServiceAccountRecord {
    try await withProvider { provider throws(AuthError) in
      try provider.createServiceAccount(draft, savingFile: save)
    }
  }

  /// Ends a service account: its key and its access tokens are good for nothing from now on.
  ///
  /// - Parameter name: its name or its address.
  /// - Returns: the account as it was.
  package func deleteServiceAccount(_ name: String) async throws(AuthError) -> ServiceAccountRecord {
    try await withProvider { provider throws(AuthError) in try provider.deleteServiceAccount(name) }
  }

  /// Gives an access token for the assertion of a service account.
  ///
  /// - Parameter audiences: where the assertion may be for, besides where the account's file says.
  /// - Throws: what a verifier throws of an assertion that is not good.
  package func accessToken(for assertion: Secret, audiences: [String]) async throws(AuthError) -> Secret {
    try await withProvider { provider throws(AuthError) in
      try provider.accessToken(for: assertion, audiences: audiences)
    }
  }

  /// How long an access token is good.
  package static var accessTokenLifetime: Duration { .seconds(AccessToken.lifetime) }

  /// Refuses a bearer token that is neither an access token of a service account nor signed by one for these audiences.
  ///
  /// - Throws: what a verifier throws of a token that is not good.
  package func requireAdministrator(_ token: Secret, audiences: [String]) async throws(AuthError) {
    try await withProvider { provider throws(AuthError) in
      try provider.requireAdministrator(token, audiences: audiences)
    }
  }
}
