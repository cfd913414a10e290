public import GatehouseBase

// Links that a server sends in messages of its own. Each has a code that is good once: it opens the account.
extension AdminAuth {
  /// The link of a message that sets a new password.
  ///
  /// - Parameters:
  ///   - email: the user's address.
  ///   - settings: where the link leads; `nil` for the project's own page.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.userNotFound`, `.unauthorizedDomain`, `.invalidContinueURI`, …
  public func generatePasswordResetLink(
    forEmail email: String, settings: ActionLinkSettings? = nil, timeout: Duration? = nil
  ) async throws(AuthError) -> String {
    try await call(timeout: timeout, link(.passwordReset, email, settings))
  }

  /// The link of a message that sets a new password.
  public func generatePasswordResetLink(
    forEmail email: String, settings: ActionLinkSettings? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<String>
  ) {
    call(timeout: timeout, to: completion, link(.passwordReset, email, settings))
  }

  /// The link of a message that verifies an address.
  ///
  /// - Parameters:
  ///   - email: the user's address.
  ///   - settings: where the link leads; `nil` for the project's own page.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.userNotFound`, `.unauthorizedDomain`, `.invalidContinueURI`, …
  public func generateEmailVerificationLink(
    forEmail email: String, settings: ActionLinkSettings? = nil, timeout: Duration? = nil
  ) async throws(AuthError) -> String {
    try await call(timeout: timeout, link(.verifyEmail, email, settings))
  }

  /// The link of a message that verifies an address.
  public func generateEmailVerificationLink(
    forEmail email: String, settings: ActionLinkSettings? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<String>
  ) {
    call(timeout: timeout, to: completion, link(.verifyEmail, email, settings))
  }

  /// The link of a message that changes a user's address, once the new one is verified.
  ///
  /// - Parameters:
  ///   - email: the user's address.
  ///   - newEmail: the address that the user is to get.
  ///   - settings: where the link leads; `nil` for the project's own page.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.userNotFound`, `.emailAlreadyInUse`, `.unauthorizedDomain`, `.invalidContinueURI`, …
  public func generateVerifyAndChangeEmailLink(
    forEmail email: String, newEmail: String, settings: ActionLinkSettings? = nil, timeout: Duration? = nil
  ) async throws(AuthError) -> String {
    try await call(timeout: timeout, link(.verifyAndChangeEmail, email, to: newEmail, settings))
  }

  /// The link of a message that changes a user's address, once the new one is verified.
  public func generateVerifyAndChangeEmailLink(
    forEmail email: String, newEmail: String, settings: ActionLinkSettings? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<String>
  ) {
    call(timeout: timeout, to: completion, link(.verifyAndChangeEmail, email, to: newEmail, settings))
  }

  /// The link of a message that signs in, and makes the account where there is none.
  ///
  /// - Parameters:
  ///   - email: the address that signs in.
  ///   - settings: where the link leads. An app must handle the code.
  ///   - timeout: how long the call may take; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument` unless an app handles the code; `.unauthorizedDomain`, `.invalidContinueURI`, …
  public func generateSignInWithEmailLink(
    forEmail email: String, settings: ActionLinkSettings, timeout: Duration? = nil
  ) async throws(AuthError) -> String {
    try await call(timeout: timeout, link(.emailSignIn, email, settings))
  }

  /// The link of a message that signs in, and makes the account where there is none.
  public func generateSignInWithEmailLink(
    forEmail email: String, settings: ActionLinkSettings, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<String>
  ) {
    call(timeout: timeout, to: completion, link(.emailSignIn, email, settings))
  }
}
