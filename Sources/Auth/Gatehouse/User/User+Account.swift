import GatehouseCore
import GatehouseQueues

// Changes of the account run one at a time for each user. One whose caller has left before it could be sent is not
// sent. One that was sent is applied when its answer comes, also after its caller has left.
extension User {
  /// Asks the provider what it knows of the user.
  public func reload(timeout: Duration? = nil) async throws(AuthError) {
    try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.reloadInternal(session, timeout: timeout)
    }
  }

  /// Asks the provider what it knows of the user.
  public func reload(timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>) {
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      try await engine.reloadInternal(session, timeout: timeout)
    }
  }

  /// Deletes the account and signs out.
  public func delete(timeout: Duration? = nil) async throws(AuthError) {
    try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.deleteInternal(session, timeout: timeout)
    }
  }

  /// Deletes the account and signs out.
  public func delete(timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>) {
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      try await engine.deleteInternal(session, timeout: timeout)
    }
  }

  /// Gives the account another password. The provider revokes the user's other sessions; this one goes on.
  ///
  /// Before it is sent the store is told, so that another `Auth` on it does not take the revoked tokens for the end of
  /// the session. Returns when the store has the new tokens. A store that fails then, or takes longer than
  /// `timeouts.store`, is not an error of this call, because the password is changed: the log says so, and `flush()`
  /// tries again.
  /// - Throws: `.weakPassword`, `.requiresRecentLogin`, …; a store's error when the change could not be sent.
  public func updatePassword(to password: String, timeout: Duration? = nil) async throws(AuthError) {
    let password = Secret(password)
    try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.updatePasswordInternal(session, to: password, timeout: timeout)
    }
  }

  /// Gives the account another password.
  public func updatePassword(
    to password: String, timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      try await engine.updatePasswordInternal(session, to: Secret(password), timeout: timeout)
    }
  }

  /// Gives the account another way to sign in. Tells the store before and after, as `updatePassword` does.
  ///
  /// - Throws: `.providerAlreadyLinked`, `.emailAlreadyInUse`, `.credentialAlreadyInUse`, …
  public func link(
    with credential: AuthCredential, timeout: Duration? = nil
  ) async throws(AuthError) -> AuthDataResult {
    try await onWorkQueue { [engine, session] () throws(AuthError) in
      AuthDataResult(try await engine.linkInternal(session, with: credential, timeout: timeout), engine)
    }
  }

  /// Gives the account another way to sign in.
  public func link(
    with credential: AuthCredential, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<AuthDataResult>
  ) {
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      AuthDataResult(
        try await engine.linkInternal(session, with: credential, timeout: timeout), engine)
    }
  }

  /// Begins a change of the name or the picture; nothing happens before `commitChanges()`.
  public func createProfileChangeRequest() -> UserProfileChangeRequest { UserProfileChangeRequest(self) }
}

extension AuthEngine {
  fileprivate func linkInternal(
    _ session: UserSession, with credential: AuthCredential, timeout: Duration?
  ) async throws(AuthError) -> SignInResult {
    switch credential.kind {
    case .password(let email, let password):
      try await linkInternal(session, email: email, password: password, timeout: timeout)
    }
    return SignInResult(session: session, isNewUser: false, providerID: credential.provider)
  }
}
