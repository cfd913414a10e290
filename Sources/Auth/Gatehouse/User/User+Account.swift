import GatehouseBase
import GatehouseCore
import GatehouseQueues
import IdentityToolkit

// Changes of an account run one at a time for each user. A change whose caller leaves before it was sent is not sent. A
// change that was sent is applied when its answer arrives, even after its caller has left.
extension User {
  /// Fetches the user's profile from the provider.
  public func reload(timeout: Duration? = nil) async throws {
    try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.reloadInternal(session, timeout: timeout)
    }
  }

  /// Fetches the user's profile from the provider.
  @_disfavoredOverload
  public func reload(timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>) {
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      try await engine.reloadInternal(session, timeout: timeout)
    }
  }

  /// Deletes the account and signs out.
  public func delete(timeout: Duration? = nil) async throws {
    try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.deleteInternal(session, timeout: timeout)
    }
  }

  /// Deletes the account and signs out.
  @_disfavoredOverload
  public func delete(timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>) {
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      try await engine.deleteInternal(session, timeout: timeout)
    }
  }

  /// Changes the account's password. The provider revokes the user's other sessions; this one continues.
  ///
  /// The change is marked in the store before it is sent, so that another `Auth` on that store does not mistake the
  /// revoked tokens for the end of the session. The call returns when the store has the new tokens. If the store fails
  /// then, or takes longer than `timeouts.store`, the call still succeeds, because the password is changed: the failure
  /// is logged, and `flush()` tries again.
  /// - Throws: `.weakPassword`, `.requiresRecentLogin`, …; the store's error if the change could not be sent.
  public func updatePassword(to password: String, timeout: Duration? = nil) async throws {
    let password = Secret(password)
    try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.updatePasswordInternal(session, to: password, timeout: timeout)
    }
  }

  /// Changes the account's password.
  @_disfavoredOverload
  public func updatePassword(
    to password: String, timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      try await engine.updatePasswordInternal(session, to: Secret(password), timeout: timeout)
    }
  }

  /// Changes the account's address. The provider revokes the user's other sessions; this one continues, as after
  /// `updatePassword(to:)`. A provider with enumeration protection requires the new address to be verified first.
  ///
  /// - Throws: `.emailAlreadyInUse`, `.invalidEmail`, `.requiresRecentLogin`, `.emailChangeNeedsVerification`: then use
  ///   `sendEmailVerification(beforeUpdatingEmail:)`; …
  public func updateEmail(
    to email: String, timeout: Duration? = nil
  ) async throws {
    try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.updateEmailInternal(session, to: email, timeout: timeout)
    }
  }

  /// Changes the account's address.
  @_disfavoredOverload
  public func updateEmail(
    to email: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      try await engine.updateEmailInternal(session, to: email, timeout: timeout)
    }
  }

  /// Adds a way to sign in to the account. Marks the change in the store, as `updatePassword` does.
  ///
  /// - Throws: `.providerAlreadyLinked`, `.emailAlreadyInUse`, `.credentialAlreadyInUse`, …
  @discardableResult
  public func link(
    with credential: AuthCredential, timeout: Duration? = nil
  ) async throws -> AuthDataResult {
    let credential = try credential.resolved()
    return try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.result { () throws(AuthError) in
        try await engine.linkInternal(session, with: credential, timeout: timeout)
      }
    }
  }

  /// Adds a way to sign in to the account.
  public func link(
    with credential: AuthCredential, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<AuthDataResult>
  ) {
    let credential = Result { () throws(AuthError) in try credential.resolved() }
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      let credential = try credential.typed()
      return try await engine.result { () throws(AuthError) in
        try await engine.linkInternal(session, with: credential, timeout: timeout)
      }
    }
  }

  /// Sets the account's phone, replacing an existing one.
  ///
  /// - Parameters:
  ///   - credential: from `PhoneAuthProvider.credential(withVerificationID:verificationCode:)`.
  ///   - timeout: the maximum time to wait; `nil` for the configuration's `timeouts.call`.
  /// - Throws: `.invalidVerificationCode`, `.sessionExpired`, `.requiresRecentLogin`; `.credentialAlreadyInUse` if
  ///   another account has the number; `.invalidArgument` for a credential of another kind; …
  public func updatePhoneNumber(
    _ credential: PhoneAuthCredential, timeout: Duration? = nil
  ) async throws {
    let proof = try credential.provedPhone()
    try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.withDetails { () throws(AuthError) in
        try await engine.updatePhoneNumberInternal(session, to: proof, timeout: timeout)
      }
    }
  }

  /// Sets the account's phone, replacing an existing one.
  @_disfavoredOverload
  public func updatePhoneNumber(
    _ credential: PhoneAuthCredential, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    let proof = Result { () throws(AuthError) in try credential.provedPhone() }
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      let proof = try proof.typed()
      try await engine.withDetails { () throws(AuthError) in
        try await engine.updatePhoneNumberInternal(session, to: proof, timeout: timeout)
      }
    }
  }

  /// Removes a way to sign in from the account: `password`, `phone`, `google.com`, …
  ///
  /// - Returns: the changed user.
  /// - Throws: `.noSuchProvider` if the account does not have that way to sign in; `.requiresRecentLogin`, …
  public func unlink(
    fromProvider provider: String, timeout: Duration? = nil
  ) async throws -> User {
    return try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.unlinked(session, from: provider, timeout: timeout)
    }
  }

  /// Removes a way to sign in from the account.
  public func unlink(
    fromProvider provider: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<User>
  ) {
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      try await engine.unlinked(session, from: provider, timeout: timeout)
    }
  }

  /// Signs the same user in again, so that a change that requires a recent sign-in is accepted. The session continues.
  ///
  /// - Throws: `.userMismatch` if the credential belongs to another user; the errors of `Auth.signIn(with:)`.
  @discardableResult
  public func reauthenticate(
    with credential: AuthCredential, timeout: Duration? = nil
  ) async throws -> AuthDataResult {
    let credential = try credential.resolved()
    return try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.result(reauthenticating: session) { () throws(AuthError) in
        try await engine.reauthenticateInternal(session, with: credential, timeout: timeout)
      }
    }
  }

  /// Signs the same user in again.
  public func reauthenticate(
    with credential: AuthCredential, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<AuthDataResult>
  ) {
    let credential = Result { () throws(AuthError) in try credential.resolved() }
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      let credential = try credential.typed()
      return try await engine.result(reauthenticating: session) { () throws(AuthError) in
        try await engine.reauthenticateInternal(session, with: credential, timeout: timeout)
      }
    }
  }

  /// Sends a message with a link that verifies the user's address. After the link was used, `reload()` updates the
  /// user.
  ///
  /// - Throws: `.missingEmail` for a user without an address, `.tooManyRequests`, `.unauthorizedDomain`, …
  public func sendEmailVerification(
    with actionCodeSettings: ActionCodeSettings? = nil, timeout: Duration? = nil
  ) async throws {
    let call = SendOobCode(.verifyEmail, actionCodeSettings)
    try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.sendCodeInternal(call, for: session, timeout: timeout)
    }
  }

  /// Sends a message with a link that verifies the user's address.
  @_disfavoredOverload
  public func sendEmailVerification(
    with actionCodeSettings: ActionCodeSettings? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    let call = SendOobCode(.verifyEmail, actionCodeSettings)
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      try await engine.sendCodeInternal(call, for: session, timeout: timeout)
    }
  }

  /// Sends a message with a link that changes the account's address to the new address that the message is sent to.
  /// When the link is used, the user's sessions end, and the former address receives a message with a link that undoes
  /// the change.
  ///
  /// - Throws: `.invalidEmail`, `.requiresRecentLogin`, `.tooManyRequests`, `.unauthorizedDomain`;
  ///   `.emailAlreadyInUse` without enumeration protection; …
  public func sendEmailVerification(
    beforeUpdatingEmail email: String, actionCodeSettings: ActionCodeSettings? = nil, timeout: Duration? = nil
  ) async throws {
    let call = SendOobCode.change(to: email, actionCodeSettings)
    try await onWorkQueue { [engine, session] () throws(AuthError) in
      try await engine.sendCodeInternal(call, for: session, timeout: timeout)
    }
  }

  /// Sends a message with a link that changes the account's address to the new address that the message is sent to.
  @_disfavoredOverload
  public func sendEmailVerification(
    beforeUpdatingEmail email: String, actionCodeSettings: ActionCodeSettings? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    let call = SendOobCode.change(to: email, actionCodeSettings)
    engine.deliver(to: completion) { [engine, session] () throws(AuthError) in
      try await engine.sendCodeInternal(call, for: session, timeout: timeout)
    }
  }

  /// Begins a change of the name or the picture; nothing is changed before `commitChanges()`.
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
