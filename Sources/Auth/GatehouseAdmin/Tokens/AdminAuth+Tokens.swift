public import GatehouseBase
public import GatehouseJOSE

// The tokens of users. Keys are fetched when they are needed, and cached.
extension AdminAuth {
  /// Verifies an ID token: signature, issuer, project and times.
  ///
  /// - Parameters:
  ///   - idToken: the token, as the client sent it.
  ///   - checkRevoked: whether to look up the user as well, and refuse the token of a user who is deleted or disabled,
  ///     or whose sessions were ended after the sign-in.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: the errors of a `TokenVerifier`, for example `.tokenExpired`; `.keysUnavailable`; `.tenantIDMismatch`
  ///   for a user of another tenant; with `checkRevoked`, `.tokenRevoked`, `.userDisabled`, `.userNotFound`, …
  public func verifyIDToken(
    _ idToken: String, checkRevoked: Bool = false, timeout: Duration? = nil
  ) async throws -> VerifiedToken {
    try await call(timeout: timeout) { desk throws(AuthError) in
      try await desk.verify(idToken, as: .idToken, checkRevoked: checkRevoked)
    }
  }

  /// Verifies an ID token: signature, issuer, project and times.
  public func verifyIDToken(
    _ idToken: String, checkRevoked: Bool = false, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<VerifiedToken>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in
      try await desk.verify(idToken, as: .idToken, checkRevoked: checkRevoked)
    }
  }

  /// Verifies a session cookie: signature, issuer, project and times.
  ///
  /// - Parameters:
  ///   - cookie: the cookie, as the browser sent it.
  ///   - checkRevoked: whether to look up the user as well, and refuse the cookie of a user who is deleted or disabled,
  ///     or whose sessions were ended after the sign-in.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: the errors of `verifyIDToken(_:checkRevoked:timeout:)`.
  public func verifySessionCookie(
    _ cookie: String, checkRevoked: Bool = false, timeout: Duration? = nil
  ) async throws -> VerifiedToken {
    try await call(timeout: timeout) { desk throws(AuthError) in
      try await desk.verify(cookie, as: .sessionCookie, checkRevoked: checkRevoked)
    }
  }

  /// Verifies a session cookie: signature, issuer, project and times.
  public func verifySessionCookie(
    _ cookie: String, checkRevoked: Bool = false, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<VerifiedToken>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in
      try await desk.verify(cookie, as: .sessionCookie, checkRevoked: checkRevoked)
    }
  }

  /// Creates a session cookie from the ID token of a recent sign-in.
  ///
  /// - Parameters:
  ///   - idToken: the token.
  ///   - expiresIn: the lifetime of the cookie, five minutes to fourteen days.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument` for another lifetime; `.invalidUserToken`, `.userTokenExpired`,
  ///   `.requiresRecentLogin`, …
  public func createSessionCookie(
    forIDToken idToken: String, expiresIn: Duration, timeout: Duration? = nil
  ) async throws -> String {
    try await call(timeout: timeout) { desk throws(AuthError) in
      try await desk.sessionCookie(forIDToken: Secret(idToken), expiresIn: expiresIn)
    }
  }

  /// Creates a session cookie from the ID token of a recent sign-in.
  public func createSessionCookie(
    forIDToken idToken: String, expiresIn: Duration, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<String>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in
      try await desk.sessionCookie(forIDToken: Secret(idToken), expiresIn: expiresIn)
    }
  }

  /// Signs a token, valid for an hour, with which a client signs a user in. For a server that authenticates its users
  /// itself.
  ///
  /// - Parameters:
  ///   - uid: the user's identifier, 1 to 128 bytes.
  ///   - claims: additional claims of the ID tokens of that session; 1,000 bytes as JSON at most.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument`, with the server code `FORBIDDEN_CLAIM` or `CLAIMS_TOO_LARGE` for claims that are not
  ///   allowed; `.operationNotAllowed` for a credential without a key, unless `AdminOptions.serviceAccountID` or the
  ///   machine's metadata server names an account that Google's IAM signs for; then `.adminRestrictedOperation` without
  ///   the role, and `.networkError`.
  public func createCustomToken(
    forUID uid: String, claims: JSONObject = JSONObject(), timeout: Duration? = nil
  ) async throws -> String {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.customToken(forUID: uid, claims: claims)
    }
  }

  /// Signs a token, valid for an hour, with which a client signs a user in. For a server that authenticates its users
  /// itself.
  public func createCustomToken(
    forUID uid: String, claims: JSONObject = JSONObject(), timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<String>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in
      try await desk.customToken(forUID: uid, claims: claims)
    }
  }
}
