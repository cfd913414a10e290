public import GatehouseBase

extension AdminAuth {
  /// Makes many users at once, with the password hashes of another system. One who cannot be imported costs no other:
  /// one whose identifier or address is taken, for instance.
  ///
  /// - Parameters:
  ///   - users: the users, at most 1000.
  ///   - hash: how their passwords are hashed; `nil` where none has one.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Returns: how many are there, and why the others are not.
  /// - Throws: `.invalidArgument` for more users, for passwords without `hash` (server code `MISSING_HASH_ALGORITHM`),
  ///   and for a hash whose parameters are out of their limits, …
  public func importUsers(
    _ users: [UserImportRecord], hash: UserImportHash? = nil, timeout: Duration? = nil
  ) async throws(AuthError) -> UserImportResult {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.importUsers(users, hash) }
  }

  /// Makes many users at once, with the password hashes of another system.
  public func importUsers(
    _ users: [UserImportRecord], hash: UserImportHash? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<UserImportResult>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.importUsers(users, hash) }
  }
}
