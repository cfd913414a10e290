import GatehouseBase

// Links that a server sends in its own messages. Each contains a code that works once and opens the account.
extension AdminAuth {
  /// Returns a link that sets a new password.
  ///
  /// - Parameters:
  ///   - email: the user's address.
  ///   - settings: the link's settings; `nil` for the project's own page.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.userNotFound`, `.unauthorizedDomain`, `.invalidContinueURI`, …
  public func generatePasswordResetLink(
    forEmail email: String, settings: ActionLinkSettings? = nil, timeout: Duration? = nil
  ) async throws -> String {
    try await call(timeout: timeout, link(.passwordReset, email, settings))
  }

  /// Returns a link that sets a new password.
  public func generatePasswordResetLink(
    forEmail email: String, settings: ActionLinkSettings? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<String>
  ) {
    call(timeout: timeout, to: completion, link(.passwordReset, email, settings))
  }

  /// Returns a link that verifies an address.
  ///
  /// - Parameters:
  ///   - email: the user's address.
  ///   - settings: the link's settings; `nil` for the project's own page.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.userNotFound`, `.unauthorizedDomain`, `.invalidContinueURI`, …
  public func generateEmailVerificationLink(
    forEmail email: String, settings: ActionLinkSettings? = nil, timeout: Duration? = nil
  ) async throws -> String {
    try await call(timeout: timeout, link(.verifyEmail, email, settings))
  }

  /// Returns a link that verifies an address.
  public func generateEmailVerificationLink(
    forEmail email: String, settings: ActionLinkSettings? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<String>
  ) {
    call(timeout: timeout, to: completion, link(.verifyEmail, email, settings))
  }

  /// Returns a link that verifies a new address and makes it the user's address.
  ///
  /// - Parameters:
  ///   - email: the user's address.
  ///   - newEmail: the user's new address.
  ///   - settings: the link's settings; `nil` for the project's own page.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.userNotFound`, `.emailAlreadyInUse`, `.unauthorizedDomain`, `.invalidContinueURI`, …
  public func generateVerifyAndChangeEmailLink(
    forEmail email: String, newEmail: String, settings: ActionLinkSettings? = nil, timeout: Duration? = nil
  ) async throws -> String {
    try await call(timeout: timeout, link(.verifyAndChangeEmail, email, to: newEmail, settings))
  }

  /// Returns a link that verifies a new address and makes it the user's address.
  public func generateVerifyAndChangeEmailLink(
    forEmail email: String, newEmail: String, settings: ActionLinkSettings? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<String>
  ) {
    call(timeout: timeout, to: completion, link(.verifyAndChangeEmail, email, to: newEmail, settings))
  }

  /// Returns a link that signs in; the sign-in creates the account if there is none.
  ///
  /// - Parameters:
  ///   - email: the address that signs in.
  ///   - settings: the link's settings. An app must handle the code.
  ///   - timeout: the maximum duration of the call; `nil` for `AdminOptions.timeout`.
  /// - Throws: `.invalidArgument` unless an app handles the code; `.unauthorizedDomain`, `.invalidContinueURI`, …
  public func generateSignInWithEmailLink(
    forEmail email: String, settings: ActionLinkSettings, timeout: Duration? = nil
  ) async throws -> String {
    try await call(timeout: timeout, link(.emailSignIn, email, settings))
  }

  /// Returns a link that signs in; the sign-in creates the account if there is none.
  public func generateSignInWithEmailLink(
    forEmail email: String, settings: ActionLinkSettings, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<String>
  ) {
    call(timeout: timeout, to: completion, link(.emailSignIn, email, settings))
  }
}
