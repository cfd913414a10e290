public import GatehouseBase
public import GatehouseJOSE

// The tokens of users. Keys are fetched when they are needed, and kept.
extension AdminAuth {
  /// Verifies an ID token: signature, issuer, project and times.
  ///
  /// - Parameters:
  ///   - idToken: the token, as the client sent it.
  ///   - checkRevoked: whether the user is looked up as well: a token of a user who is gone or disabled, or whose
  ///     sessions were ended since, is refused then.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: what a `TokenVerifier` throws, `.tokenExpired` for one; `.keysUnavailable`; `.tenantIDMismatch` for a
  ///   user of another tenant; with the look-up `.tokenRevoked`, `.userDisabled`, `.userNotFound`, …
  public func verifyIDToken(
    _ idToken: String, checkRevoked: Bool = false, timeout: Duration? = nil
  ) async throws(AuthError) -> VerifiedToken {
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
  ///   - checkRevoked: whether the user is looked up as well: a cookie of a user who is gone or disabled, or whose
  ///     sessions were ended since, is refused then.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: what `verifyIDToken(_:checkRevoked:timeout:)` throws.
  public func verifySessionCookie(
    _ cookie: String, checkRevoked: Bool = false, timeout: Duration? = nil
  ) async throws(AuthError) -> VerifiedToken {
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

  /// Makes a session cookie of an ID token of a recent sign-in.
  ///
  /// - Parameters:
  ///   - idToken: the token.
  ///   - expiresIn: how long the cookie is good: five minutes to fourteen days.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument` for another lifetime; `.invalidUserToken`, `.userTokenExpired`,
  ///   `.requiresRecentLogin`, …
  public func createSessionCookie(
    forIDToken idToken: String, expiresIn: Duration, timeout: Duration? = nil
  ) async throws(AuthError) -> String {
    try await call(timeout: timeout) { desk throws(AuthError) in
      try await desk.sessionCookie(forIDToken: Secret(idToken), expiresIn: expiresIn)
    }
  }

  /// Makes a session cookie of an ID token of a recent sign-in.
  public func createSessionCookie(
    forIDToken idToken: String, expiresIn: Duration, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<String>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in
      try await desk.sessionCookie(forIDToken: Secret(idToken), expiresIn: expiresIn)
    }
  }

  /// Signs a token with which a client signs a user in, for an hour: for a server that knows its users already.
  ///
  /// - Parameters:
  ///   - uid: the user's identifier, 1 to 128 bytes.
  ///   - claims: what the ID tokens of that session say beside the project's own claims; 1,000 bytes as JSON at most.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument`, with the server code `FORBIDDEN_CLAIM` or `CLAIMS_TOO_LARGE` for claims that cannot
  ///   be; `.operationNotAllowed` for a credential without a key, unless `AdminOptions.serviceAccountID` or the
  ///   machine's metadata server names an account that Google's IAM signs for; then `.adminRestrictedOperation` without
  ///   the role, and `.networkError`.
  public func createCustomToken(
    forUID uid: String, claims: JSONObject = JSONObject(), timeout: Duration? = nil
  ) async throws(AuthError) -> String {
    try await call(timeout: timeout) { desk throws(AuthError) in try await desk.customToken(forUID: uid, claims: claims)
    }
  }

  /// Signs a token with which a client signs a user in, for an hour: for a server that knows its users already.
  public func createCustomToken(
    forUID uid: String, claims: JSONObject = JSONObject(), timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<String>
  ) {
    call(timeout: timeout, to: completion) { desk throws(AuthError) in
      try await desk.customToken(forUID: uid, claims: claims)
    }
  }
}
