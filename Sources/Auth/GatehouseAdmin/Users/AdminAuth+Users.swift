public import GatehouseBase

// The users of the project, or of one tenant. All of these calls throw `.networkError` if the server cannot be reached,
// `.invalidCredential` and `.adminRestrictedOperation` if it does not accept the administrator's credential,
// `.deadlineExceeded` and `.cancelled`; for a provider in this process, the reason why its folder cannot be used.
//
// `timeout` is the maximum duration of the call; `nil` for `AdminOptions.timeout`.
extension AdminAuth {
  /// Returns the user with an identifier.
  ///
  /// - Parameters:
  ///   - uid: the user's identifier.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.userNotFound`, …
  public func getUser(
    byUID uid: String, timeout: Duration? = nil
  ) async throws -> UserRecord {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.user(.uid(uid)) }
  }

  /// Returns the user with an identifier.
  public func getUser(
    byUID uid: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<UserRecord>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.user(.uid(uid)) }
  }

  /// Returns the user with an address.
  ///
  /// - Parameters:
  ///   - email: the user's address.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.userNotFound`, …
  public func getUser(
    byEmail email: String, timeout: Duration? = nil
  ) async throws -> UserRecord {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.user(.email(email)) }
  }

  /// Returns the user with an address.
  public func getUser(
    byEmail email: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<UserRecord>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.user(.email(email)) }
  }

  /// Returns the user with a phone number.
  ///
  /// - Parameters:
  ///   - phoneNumber: the number in E.164 form.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.userNotFound`, …
  public func getUser(
    byPhoneNumber phoneNumber: String, timeout: Duration? = nil
  ) async throws -> UserRecord {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.user(.phoneNumber(phoneNumber)) }
  }

  /// Returns the user with a phone number.
  public func getUser(
    byPhoneNumber phoneNumber: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<UserRecord>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.user(.phoneNumber(phoneNumber)) }
  }

  /// Returns the user with an identifier at an identity provider.
  ///
  /// - Parameters:
  ///   - providerID: the identity provider: `google.com`.
  ///   - uid: the user's identifier there.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.userNotFound`, …
  public func getUser(
    byProviderID providerID: String, uid: String, timeout: Duration? = nil
  ) async throws -> UserRecord {
    try await call(timeout: timeout) { desk throws(AuthError) in
      try await desk.user(.provider(id: providerID, uid: uid))
    }
  }

  /// Returns the user with an identifier at an identity provider.
  public func getUser(
    byProviderID providerID: String, uid: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<UserRecord>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in
      try await desk.user(.provider(id: providerID, uid: uid))
    }
  }

  /// Returns several users at once.
  ///
  /// - Parameters:
  ///   - identifiers: the users' identifiers, at most 100.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Returns: The users, and the identifiers that match no user.
  /// - Throws: `.invalidArgument` for more than 100 identifiers, …
  public func getUsers(
    _ identifiers: [UserIdentifier], timeout: Duration? = nil
  ) async throws -> GetUsersResult {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.users(identifiers) }
  }

  /// Returns several users at once.
  public func getUsers(
    _ identifiers: [UserIdentifier], timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<GetUsersResult>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.users(identifiers) }
  }

  /// Returns a page of the users.
  ///
  /// - Parameters:
  ///   - maxResults: the maximum number of users, 1 to 1000.
  ///   - pageToken: the token from the previous page; `nil` for the first page.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument`, …
  public func listUsers(
    maxResults: Int = 1000, pageToken: String? = nil, timeout: Duration? = nil
  ) async throws -> UserPage {
    try await call(timeout: timeout) { desk throws(AuthError) in
      try await desk.users(maxResults: maxResults, pageToken: pageToken)
    }
  }

  /// Returns a page of the users.
  public func listUsers(
    maxResults: Int = 1000, pageToken: String? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<UserPage>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in
      try await desk.users(maxResults: maxResults, pageToken: pageToken)
    }
  }

  /// Creates a user, who has not signed in yet.
  ///
  /// - Parameters:
  ///   - request: the user's data.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.emailAlreadyInUse`, `.invalidArgument` for an identifier that is taken, `.weakPassword`, …
  public func createUser(
    _ request: CreateUserRequest, timeout: Duration? = nil
  ) async throws -> UserRecord {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.createUser(request) }
  }

  /// Creates a user, who has not signed in yet.
  public func createUser(
    _ request: CreateUserRequest, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<UserRecord>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.createUser(request) }
  }

  /// Changes a user. A new address or password ends the user's sessions.
  ///
  /// - Parameters:
  ///   - uid: the user's identifier.
  ///   - request: the changes.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Returns: The user after the change.
  /// - Throws: `.userNotFound`, `.emailAlreadyInUse`, `.weakPassword`, …
  public func updateUser(
    uid: String, _ request: UpdateUserRequest, timeout: Duration? = nil
  ) async throws -> UserRecord {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.updateUser(uid, request) }
  }

  /// Changes a user. A new address or password ends the user's sessions.
  public func updateUser(
    uid: String, _ request: UpdateUserRequest, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<UserRecord>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.updateUser(uid, request) }
  }

  /// Permanently deletes a user.
  ///
  /// - Parameters:
  ///   - uid: the user's identifier.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.userNotFound`, …
  public func deleteUser(
    uid: String, timeout: Duration? = nil
  ) async throws {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.deleteUser(uid) }
  }

  /// Permanently deletes a user.
  public func deleteUser(
    uid: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.deleteUser(uid) }
  }

  /// Permanently deletes several users, disabled or not. A missing user counts as deleted.
  ///
  /// - Parameters:
  ///   - uids: the users' identifiers, at most 1000.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Returns: The number of deleted users, and the reason for each user who was not deleted.
  /// - Throws: `.invalidArgument` for more than 1000 users, …
  public func deleteUsers(
    uids: [String], timeout: Duration? = nil
  ) async throws -> DeleteUsersResult {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.deleteUsers(uids) }
  }

  /// Permanently deletes several users, disabled or not. A missing user counts as deleted.
  public func deleteUsers(
    uids: [String], timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<DeleteUsersResult>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.deleteUsers(uids) }
  }

  /// Sets the custom claims of a user's ID tokens, from the next refresh on.
  ///
  /// - Parameters:
  ///   - uid: the user's identifier.
  ///   - claims: all custom claims, 1,000 bytes as JSON at most; an empty object for none.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument`, with the server code `FORBIDDEN_CLAIM` or `CLAIMS_TOO_LARGE`; `.userNotFound`, …
  public func setCustomUserClaims(
    forUID uid: String, _ claims: JSONObject, timeout: Duration? = nil
  ) async throws {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.setClaims(of: uid, to: claims) }
  }

  /// Sets the custom claims of a user's ID tokens, from the next refresh on.
  public func setCustomUserClaims(
    forUID uid: String, _ claims: JSONObject, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.setClaims(of: uid, to: claims) }
  }

  /// Ends every session of a user: the refresh tokens of earlier sign-ins become invalid.
  ///
  /// ID tokens stay valid until they expire, unless a verification checks for revocation.
  ///
  /// - Parameters:
  ///   - uid: the user's identifier.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.userNotFound`, …
  public func revokeRefreshTokens(
    forUID uid: String, timeout: Duration? = nil
  ) async throws {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.revokeTokens(of: uid) }
  }

  /// Ends every session of a user: the refresh tokens of earlier sign-ins become invalid.
  public func revokeRefreshTokens(
    forUID uid: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.revokeTokens(of: uid) }
  }
}
