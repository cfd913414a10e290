import GatehouseCore
import GatehouseQueues

// If two sign-ins run at once, the one started last wins. The other throws `.superseded`, as does a sign-in that is
// followed by a sign-out. A cancelled sign-in throws `.cancelled` at once and changes nothing. A sign-in completes when
// it is stored: if the store fails, the sign-in throws and the state is unchanged.
extension Auth {
  /// Creates an account and signs in to it.
  ///
  /// - Parameters:
  ///   - email: the address that the user signs in with.
  ///   - password: the user's password, as UTF-8.
  ///   - timeout: the maximum time to wait; `nil` for the configuration's `timeouts.call`.
  /// - Throws: `.emailAlreadyInUse`, `.invalidEmail`, `.weakPassword`, `.operationNotAllowed`, …
  @discardableResult
  public func createUser(
    withEmail email: String, password: String, timeout: Duration? = nil
  ) async throws -> AuthDataResult {
    let password = Secret(password)
    return try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.result { () throws(AuthError) in
        try await engine.createUserInternal(email: email, password: password, timeout: timeout)
      }
    }
  }

  /// Creates an account and signs in to it.
  public func createUser(
    withEmail email: String, password: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<AuthDataResult>
  ) {
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      try await engine.result { () throws(AuthError) in
        try await engine.createUserInternal(email: email, password: Secret(password), timeout: timeout)
      }
    }
  }

  /// Signs in with an address and a password.
  ///
  /// - Throws: `.wrongPassword`, `.userNotFound` or, with enumeration protection, `.invalidCredential` for both;
  ///   `.userDisabled`, `.tooManyRequests`, …
  @discardableResult
  public func signIn(
    withEmail email: String, password: String, timeout: Duration? = nil
  ) async throws -> AuthDataResult {
    let password = Secret(password)
    return try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.result { () throws(AuthError) in
        try await engine.signInInternal(with: .password(email: email, password), timeout: timeout)
      }
    }
  }

  /// Signs in with an address and a password.
  public func signIn(
    withEmail email: String, password: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<AuthDataResult>
  ) {
    let password = Secret(password)
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      try await engine.result { () throws(AuthError) in
        try await engine.signInInternal(with: .password(email: email, password), timeout: timeout)
      }
    }
  }

  /// Signs in with a credential.
  ///
  /// - Throws: the errors of the credential's own sign-in; see `signIn(withEmail:password:)`,
  ///   `signIn(withEmail:link:)`.
  @discardableResult
  public func signIn(
    with credential: AuthCredential, timeout: Duration? = nil
  ) async throws -> AuthDataResult {
    let credential = try credential.resolved()
    return try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.result { () throws(AuthError) in
        try await engine.signInInternal(with: credential, timeout: timeout)
      }
    }
  }

  /// Signs in with a credential.
  public func signIn(
    with credential: AuthCredential, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<AuthDataResult>
  ) {
    let credential = Result { () throws(AuthError) in try credential.resolved() }
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      let credential = try credential.typed()
      return try await engine.result { () throws(AuthError) in
        try await engine.signInInternal(with: credential, timeout: timeout)
      }
    }
  }

  /// Signs in with the link of a message; creates the account if there is none.
  ///
  /// - Throws: `.invalidArgument` for a link that does not sign in, `.invalidActionCode`, `.expiredActionCode`,
  ///   `.invalidEmail` when the link was sent to another address, `.userDisabled`, …
  @discardableResult
  public func signIn(
    withEmail email: String, link: String, timeout: Duration? = nil
  ) async throws -> AuthDataResult {
    let credential = try AuthCredential(email: email, link: link).resolved()
    return try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.result { () throws(AuthError) in
        try await engine.signInInternal(with: credential, timeout: timeout)
      }
    }
  }

  /// Signs in with the link of a message.
  public func signIn(
    withEmail email: String, link: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<AuthDataResult>
  ) {
    let credential = Result { () throws(AuthError) in try AuthCredential(email: email, link: link).resolved() }
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      let credential = try credential.typed()
      return try await engine.result { () throws(AuthError) in
        try await engine.signInInternal(with: credential, timeout: timeout)
      }
    }
  }

  /// Signs in with a token that a server of the project has signed; creates the account if there is none.
  ///
  /// - Throws: `.invalidCustomToken`, `.customTokenMismatch`, `.userDisabled`, …
  @discardableResult
  public func signIn(
    withCustomToken token: String, timeout: Duration? = nil
  ) async throws -> AuthDataResult {
    let token = Secret(token)
    return try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.result { () throws(AuthError) in
        try await engine.signInInternal(customToken: token, timeout: timeout)
      }
    }
  }

  /// Signs in with a token that a server of the project has signed.
  public func signIn(
    withCustomToken token: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<AuthDataResult>
  ) {
    let token = Secret(token)
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      try await engine.result { () throws(AuthError) in
        try await engine.signInInternal(customToken: token, timeout: timeout)
      }
    }
  }

  /// Creates an account that cannot sign in again, and signs in to it; `link(with:)` can add a way to sign in later. An
  /// anonymous user who is signed in, or whose session is being restored, stays signed in. Concurrent calls share one
  /// account. A stored session that cannot be read is not replaced: its error is thrown.
  @discardableResult
  public func signInAnonymously(timeout: Duration? = nil) async throws -> AuthDataResult {
    try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.result { () throws(AuthError) in
        try await engine.signInAnonymouslyInternal(timeout: timeout)
      }
    }
  }

  /// Creates an anonymous account and signs in to it.
  public func signInAnonymously(
    timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<AuthDataResult>
  ) {
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      try await engine.result { () throws(AuthError) in
        try await engine.signInAnonymouslyInternal(timeout: timeout)
      }
    }
  }

  /// Makes a user the current one. The user may belong to this `Auth`, or to another one with the same provider. `nil`
  /// signs out.
  ///
  /// If the store keeps the user's session, this is `switchUser(toUID:)`. Otherwise the user of another `Auth` stays
  /// signed in there, and the two share a refresh token from then on. A provider that rotates refresh tokens would end a
  /// session whose token is shared, so with such a provider that call is refused.
  /// - Throws: `.nullUser` if the user has signed out; `.operationNotAllowed` for a user who is signed in elsewhere, if
  ///   the backend rotates refresh tokens; the provider's errors about the user's token.
  public func updateCurrentUser(_ user: User?, timeout: Duration? = nil) async throws {
    let now = (user?.engine ?? engine).now
    try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.updateCurrentUser(user, now: now, timeout: timeout)
    }
  }

  /// Makes a user the current one; `nil` signs out.
  @_disfavoredOverload
  public func updateCurrentUser(
    _ user: User?, timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    let now = (user?.engine ?? engine).now
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      try await engine.updateCurrentUser(user, now: now, timeout: timeout)
    }
  }
}

extension AuthEngine {
  fileprivate func updateCurrentUser(
    _ user: User?, now: ClockReading, timeout: Duration?
  ) async throws(AuthError) {
    guard let user else { return try signOutInternal() }
    try await updateCurrentUserInternal(user.session, timeout: timeout) { () throws(AuthError) in
      try await user.engine.tokensToMoveInternal(user.session, now: now)
    }
  }
}
