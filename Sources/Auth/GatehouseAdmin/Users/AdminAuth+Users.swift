public import GatehouseBase

// The users of the project, or of one tenant. All of these calls throw `.networkError` when the server cannot be
// reached, `.invalidCredential` and `.adminRestrictedOperation` when it does not take the administrator's credential,
// `.deadlineExceeded` and `.cancelled`; of a provider in this process why its folder cannot be used.
//
// `timeout` is how long the call may take; `nil` for `AdminOptions.timeout`.
extension AdminAuth {
  /// The user with an identifier.
  ///
  /// - Parameters:
  ///   - uid: the user's identifier.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.userNotFound`, …
  public func getUser(
    byUID uid: String, timeout: Duration? = nil
  ) async throws(AuthError) -> UserRecord {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.user(.uid(uid)) }
  }

  /// The user with an identifier.
  public func getUser(
    byUID uid: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<UserRecord>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.user(.uid(uid)) }
  }

  /// The user with an address.
  ///
  /// - Parameters:
  ///   - email: the user's address.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.userNotFound`, …
  public func getUser(
    byEmail email: String, timeout: Duration? = nil
  ) async throws(AuthError) -> UserRecord {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.user(.email(email)) }
  }

  /// The user with an address.
  public func getUser(
    byEmail email: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<UserRecord>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.user(.email(email)) }
  }

  /// The user with a phone number.
  ///
  /// - Parameters:
  ///   - phoneNumber: the number, as E.164 writes it.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.userNotFound`, …
  public func getUser(
    byPhoneNumber phoneNumber: String, timeout: Duration? = nil
  ) async throws(AuthError) -> UserRecord {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.user(.phoneNumber(phoneNumber)) }
  }

  /// The user with a phone number.
  public func getUser(
    byPhoneNumber phoneNumber: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<UserRecord>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.user(.phoneNumber(phoneNumber)) }
  }

  /// The user whom an identity provider knows.
  ///
  /// - Parameters:
  ///   - providerID: the identity provider: `google.com`.
  ///   - uid: the user's identifier there.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.userNotFound`, …
  public func getUser(
    byProviderID providerID: String, uid: String, timeout: Duration? = nil
  ) async throws(AuthError) -> UserRecord {
    try await call(timeout: timeout) { desk throws(AuthError) in
      try await desk.user(.provider(id: providerID, uid: uid))
    }
  }

  /// The user whom an identity provider knows.
  public func getUser(
    byProviderID providerID: String, uid: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<UserRecord>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in
      try await desk.user(.provider(id: providerID, uid: uid))
    }
  }

  /// Several users at once.
  ///
  /// - Parameters:
  ///   - identifiers: what names them, at most 100.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Returns: the users, and what names none.
  /// - Throws: `.invalidArgument` for more, …
  public func getUsers(
    _ identifiers: [UserIdentifier], timeout: Duration? = nil
  ) async throws(AuthError) -> GetUsersResult {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.users(identifiers) }
  }

  /// Several users at once.
  public func getUsers(
    _ identifiers: [UserIdentifier], timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<GetUsersResult>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.users(identifiers) }
  }

  /// Some of the users.
  ///
  /// - Parameters:
  ///   - maxResults: how many at most, 1 to 1000.
  ///   - pageToken: names the page, by the page before; `nil` for the first one.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument`, …
  public func listUsers(
    maxResults: Int = 1000, pageToken: String? = nil, timeout: Duration? = nil
  ) async throws(AuthError) -> UserPage {
    try await call(timeout: timeout) { desk throws(AuthError) in
      try await desk.users(maxResults: maxResults, pageToken: pageToken)
    }
  }

  /// Some of the users.
  public func listUsers(
    maxResults: Int = 1000, pageToken: String? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<UserPage>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in
      try await desk.users(maxResults: maxResults, pageToken: pageToken)
    }
  }

  /// Makes a user, who has not signed in yet.
  ///
  /// - Parameters:
  ///   - request: what is known of the user.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.emailAlreadyInUse`, `.invalidArgument` for an identifier that a user has already, `.weakPassword`, …
  public func createUser(
    _ request: CreateUserRequest, timeout: Duration? = nil
  ) async throws(AuthError) -> UserRecord {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.createUser(request) }
  }

  /// Makes a user, who has not signed in yet.
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
  ///   - request: what is to change.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Returns: the user as they are then.
  /// - Throws: `.userNotFound`, `.emailAlreadyInUse`, `.weakPassword`, …
  public func updateUser(
    uid: String, _ request: UpdateUserRequest, timeout: Duration? = nil
  ) async throws(AuthError) -> UserRecord {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.updateUser(uid, request) }
  }

  /// Changes a user. A new address or password ends the user's sessions.
  public func updateUser(
    uid: String, _ request: UpdateUserRequest, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<UserRecord>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.updateUser(uid, request) }
  }

  /// Deletes a user for good.
  ///
  /// - Parameters:
  ///   - uid: the user's identifier.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.userNotFound`, …
  public func deleteUser(
    uid: String, timeout: Duration? = nil
  ) async throws(AuthError) {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.deleteUser(uid) }
  }

  /// Deletes a user for good.
  public func deleteUser(
    uid: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.deleteUser(uid) }
  }

  /// Deletes several users for good, disabled or not. One who is not there counts as deleted.
  ///
  /// - Parameters:
  ///   - uids: the users' identifiers, at most 1000.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Returns: how many are gone, and why the others are not.
  /// - Throws: `.invalidArgument` for more, …
  public func deleteUsers(
    uids: [String], timeout: Duration? = nil
  ) async throws(AuthError) -> DeleteUsersResult {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.deleteUsers(uids) }
  }

  /// Deletes several users for good, disabled or not. One who is not there counts as deleted.
  public func deleteUsers(
    uids: [String], timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<DeleteUsersResult>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.deleteUsers(uids) }
  }

  /// Has ID tokens say more of a user, beside the project's own claims, from the next refresh on.
  ///
  /// - Parameters:
  ///   - uid: the user's identifier.
  ///   - claims: all that they are to say, 1,000 bytes as JSON at most; an empty object for nothing.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument`, with the server code `FORBIDDEN_CLAIM` or `CLAIMS_TOO_LARGE`; `.userNotFound`, …
  public func setCustomUserClaims(
    forUID uid: String, _ claims: JSONObject, timeout: Duration? = nil
  ) async throws(AuthError) {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.setClaims(of: uid, to: claims) }
  }

  /// Has ID tokens say more of a user, beside the project's own claims, from the next refresh on.
  public func setCustomUserClaims(
    forUID uid: String, _ claims: JSONObject, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.setClaims(of: uid, to: claims) }
  }

  /// Ends every session of a user: no refresh token of an earlier sign-in is good any more.
  ///
  /// ID tokens are good until they expire, except where a verification checks for this.
  ///
  /// - Parameters:
  ///   - uid: the user's identifier.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.userNotFound`, …
  public func revokeRefreshTokens(
    forUID uid: String, timeout: Duration? = nil
  ) async throws(AuthError) {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.revokeTokens(of: uid) }
  }

  /// Ends every session of a user: no refresh token of an earlier sign-in is good any more.
  public func revokeRefreshTokens(
    forUID uid: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.revokeTokens(of: uid) }
  }
}
