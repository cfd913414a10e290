import GatehouseBase

extension AdminAuth {
  /// Imports many users at once, with the password hashes of another system. A user who cannot be imported, for example
  /// because their identifier or address is taken, does not affect the others.
  ///
  /// - Parameters:
  ///   - users: the users, at most 1000.
  ///   - hash: the hash of their passwords; `nil` if no user has a password.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Returns: The number of imported users, and the reason for each user who was not imported.
  /// - Throws: `.invalidArgument` for more than 1000 users, for passwords without `hash` (server code
  ///   `MISSING_HASH_ALGORITHM`), and for a hash whose parameters are out of their limits, …
  public func importUsers(
    _ users: [UserImportRecord], hash: UserImportHash? = nil, timeout: Duration? = nil
  ) async throws -> UserImportResult {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.importUsers(users, hash) }
  }

  /// Imports many users at once, with the password hashes of another system.
  public func importUsers(
    _ users: [UserImportRecord], hash: UserImportHash? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<UserImportResult>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.importUsers(users, hash) }
  }
}
