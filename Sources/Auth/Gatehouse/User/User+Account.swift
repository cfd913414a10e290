import GatehouseCore
import GatehouseQueues
import IdentityToolkit

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

  /// Gives the account another address. The provider revokes the user's other sessions; this one goes on, as after
  /// `updatePassword(to:)`. A provider with enumeration protection wants the new address verified first.
  ///
  /// - Throws: `.emailAlreadyInUse`, `.invalidEmail`, `.requiresRecentLogin`, `.emailChangeNeedsVerification`: then use
  ///   `sendEmailVerification(beforeUpdatingEmail:)`; …
  public func updateEmail(
    to email: String, timeout: Duration? = nil
  ) async throws(AuthError) {
    try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.updateEmailInternal(session, to: email, timeout: timeout)
    }
  }

  /// Gives the account another address.
  public func updateEmail(
    to email: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      try await engine.updateEmailInternal(session, to: email, timeout: timeout)
    }
  }

  /// Gives the account another way to sign in. Tells the store before and after, as `updatePassword` does.
  ///
  /// - Throws: `.providerAlreadyLinked`, `.emailAlreadyInUse`, `.credentialAlreadyInUse`, …
  @discardableResult
  public func link(
    with credential: AuthCredential, timeout: Duration? = nil
  ) async throws(AuthError) -> AuthDataResult {
    let credential = try credential.resolved()
    return try await onWorkQueue { [engine, session] () throws(AuthError) in
      AuthDataResult(try await engine.linkInternal(session, with: credential, timeout: timeout), engine)
    }
  }

  /// Gives the account another way to sign in.
  public func link(
    with credential: AuthCredential, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<AuthDataResult>
  ) {
    let credential = Result { () throws(AuthError) in try credential.resolved() }
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      let credential = try credential.get()
      return AuthDataResult(try await engine.linkInternal(session, with: credential, timeout: timeout), engine)
    }
  }

  /// Gives the account a phone, in place of the one that it may have.
  ///
  /// - Parameters:
  ///   - credential: from `PhoneAuthProvider.credential(withVerificationID:verificationCode:)`.
  ///   - timeout: how long to wait; the configuration's `timeouts.call` where there is none.
  /// - Throws: `.invalidVerificationCode`, `.sessionExpired`, `.requiresRecentLogin`; `.credentialAlreadyInUse` if
  ///   another account has the number; `.invalidArgument` for a credential of another kind; …
  public func updatePhoneNumber(
    _ credential: PhoneAuthCredential, timeout: Duration? = nil
  ) async throws(AuthError) {
    let proof = try credential.provedPhone()
    try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.updatePhoneNumberInternal(session, to: proof, timeout: timeout)
    }
  }

  /// Gives the account a phone, in place of the one that it may have.
  public func updatePhoneNumber(
    _ credential: PhoneAuthCredential, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    let proof = Result { () throws(AuthError) in try credential.provedPhone() }
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      let proof = try proof.get()
      try await engine.updatePhoneNumberInternal(session, to: proof, timeout: timeout)
    }
  }

  /// Takes a way to sign in from the account: `password`, `phone`, `google.com`, …
  ///
  /// - Returns: the user, as it is now.
  /// - Throws: `.noSuchProvider` if the account does not sign in that way; `.requiresRecentLogin`, …
  public func unlink(
    fromProvider provider: String, timeout: Duration? = nil
  ) async throws(AuthError) -> User {
    return try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.unlinked(session, from: provider, timeout: timeout)
    }
  }

  /// Takes a way to sign in from the account.
  public func unlink(
    fromProvider provider: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<User>
  ) {
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      try await engine.unlinked(session, from: provider, timeout: timeout)
    }
  }

  /// Signs the same user in once more, so that a change that needs a recent sign-in is accepted. The session goes on.
  ///
  /// - Throws: `.userMismatch` if the credential belongs to another user; what `Auth.signIn(with:)` throws.
  @discardableResult
  public func reauthenticate(
    with credential: AuthCredential, timeout: Duration? = nil
  ) async throws(AuthError) -> AuthDataResult {
    let credential = try credential.resolved()
    return try await onWorkQueue { [engine, session] () throws(AuthError) in
      AuthDataResult(try await engine.reauthenticateInternal(session, with: credential, timeout: timeout), engine)
    }
  }

  /// Signs the same user in once more.
  public func reauthenticate(
    with credential: AuthCredential, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<AuthDataResult>
  ) {
    let credential = Result { () throws(AuthError) in try credential.resolved() }
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      let credential = try credential.get()
      return AuthDataResult(
        try await engine.reauthenticateInternal(session, with: credential, timeout: timeout), engine)
    }
  }

  /// Sends a message with a link that verifies the user's address. `reload()` learns that it was used.
  ///
  /// - Throws: `.missingEmail` for a user without an address, `.tooManyRequests`, `.unauthorizedDomain`, …
  public func sendEmailVerification(
    with actionCodeSettings: ActionCodeSettings? = nil, timeout: Duration? = nil
  ) async throws(AuthError) {
    let call = SendOobCode(.verifyEmail, actionCodeSettings)
    try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.sendCodeInternal(call, for: session, timeout: timeout)
    }
  }

  /// Sends a message with a link that verifies the user's address.
  public func sendEmailVerification(
    with actionCodeSettings: ActionCodeSettings? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    let call = SendOobCode(.verifyEmail, actionCodeSettings)
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      try await engine.sendCodeInternal(call, for: session, timeout: timeout)
    }
  }

  /// Sends a message to another address, with a link that gives it to the account. When the link is used the user's
  /// sessions end, and the former address is told how to take the change back.
  ///
  /// - Throws: `.invalidEmail`, `.requiresRecentLogin`, `.tooManyRequests`, `.unauthorizedDomain`;
  ///   `.emailAlreadyInUse` without enumeration protection; …
  public func sendEmailVerification(
    beforeUpdatingEmail email: String, actionCodeSettings: ActionCodeSettings? = nil, timeout: Duration? = nil
  ) async throws(AuthError) {
    let call = SendOobCode.change(to: email, actionCodeSettings)
    try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.sendCodeInternal(call, for: session, timeout: timeout)
    }
  }

  /// Sends a message to another address, with a link that gives it to the account.
  public func sendEmailVerification(
    beforeUpdatingEmail email: String, actionCodeSettings: ActionCodeSettings? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    let call = SendOobCode.change(to: email, actionCodeSettings)
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      try await engine.sendCodeInternal(call, for: session, timeout: timeout)
    }
  }

  /// Begins a change of the name or the picture; nothing happens before `commitChanges()`.
  public func createProfileChangeRequest() -> UserProfileChangeRequest { UserProfileChangeRequest(self) }
}

extension AuthCredential {
  fileprivate func provedPhone() throws(AuthError) -> PhoneProof {
    guard let phoneProof else {
      throw AuthError(.invalidArgument, "this credential is of \(provider.printable()); a phone's is needed")
    }
    return phoneProof
  }
}

extension SendOobCode {
  fileprivate static func change(to email: String, _ settings: ActionCodeSettings?) -> SendOobCode {
    var call = SendOobCode(.verifyAndChangeEmail, settings)
    call.newEmail = email
    return call
  }
}

extension AuthEngine {
  fileprivate func unlinked(
    _ session: UserSession, from provider: String, timeout: Duration?
  ) async throws(AuthError) -> User {
    try await unlinkInternal(session, from: provider, timeout: timeout)
    return User(session, self)
  }
}
