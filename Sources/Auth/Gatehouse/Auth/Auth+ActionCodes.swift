import GatehouseBase
import GatehouseCore
import GatehouseQueues
import IdentityToolkit

// Messages with codes, and the calls that use the codes. A link works once, for a limited time; `ActionCodeURL`
// extracts its code. With enumeration protection, the default of most providers, none of these calls reveals whether an
// account exists: a message to an unknown address succeeds, but is not sent.
extension Auth {
  /// Sends a message with a link that sets a new password.
  ///
  /// - Throws: `.userNotFound` without enumeration protection; `.invalidEmail`, `.unauthorizedDomain`,
  ///   `.invalidContinueURI`, `.tooManyRequests`, …
  public func sendPasswordReset(
    withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil, timeout: Duration? = nil
  ) async throws {
    let call = SendOobCode(.passwordReset, to: email, actionCodeSettings)
    try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.sendCodeInternal(call, timeout: timeout)
    }
  }

  /// Sends a message with a link that sets a new password.
  @_disfavoredOverload
  public func sendPasswordReset(
    withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    let call = SendOobCode(.passwordReset, to: email, actionCodeSettings)
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      try await engine.sendCodeInternal(call, timeout: timeout)
    }
  }

  /// Sends a message with a link that signs in; the sign-in creates the account if there is none.
  ///
  /// - Throws: `.invalidArgument` unless the settings say that an app handles the code; `.missingContinueURI`,
  ///   `.unauthorizedDomain`, `.invalidEmail`, `.tooManyRequests`, …
  public func sendSignInLink(
    toEmail email: String, actionCodeSettings: ActionCodeSettings, timeout: Duration? = nil
  ) async throws {
    let call = try SendOobCode.signIn(email, actionCodeSettings)
    try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.sendCodeInternal(call, timeout: timeout)
    }
  }

  /// Sends a message with a link that signs in.
  @_disfavoredOverload
  public func sendSignInLink(
    toEmail email: String, actionCodeSettings: ActionCodeSettings, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    let call = Result { () throws(AuthError) in try SendOobCode.signIn(email, actionCodeSettings) }
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      let call = try call.typed()
      try await engine.sendCodeInternal(call, timeout: timeout)
    }
  }

  /// Sets a new password with the code of a message. The user's sessions end; sign in again with the new password.
  ///
  /// - Throws: `.invalidActionCode`, `.expiredActionCode`, `.weakPassword`, `.userDisabled`, …
  public func confirmPasswordReset(
    withCode code: String, newPassword: String, timeout: Duration? = nil
  ) async throws {
    let (code, newPassword) = (Secret(code), Secret(newPassword))
    try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.confirmPasswordResetInternal(code, newPassword: newPassword, timeout: timeout)
    }
  }

  /// Sets a new password with the code of a message.
  @_disfavoredOverload
  public func confirmPasswordReset(
    withCode code: String, newPassword: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    let (code, newPassword) = (Secret(code), Secret(newPassword))
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      try await engine.confirmPasswordResetInternal(code, newPassword: newPassword, timeout: timeout)
    }
  }

  /// Checks a password reset code without using it up.
  ///
  /// - Returns: The account's address.
  /// - Throws: `.invalidActionCode`, also for a code with another purpose; `.expiredActionCode`, …
  public func verifyPasswordResetCode(
    _ code: String, timeout: Duration? = nil
  ) async throws -> String {
    let code = Secret(code)
    return try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.passwordResetEmail(code, timeout: timeout)
    }
  }

  /// Checks a password reset code without using it up.
  public func verifyPasswordResetCode(
    _ code: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<String>
  ) {
    let code = Secret(code)
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      try await engine.passwordResetEmail(code, timeout: timeout)
    }
  }

  /// Returns the purpose of a code, without using it up.
  ///
  /// - Throws: `.invalidActionCode`, `.expiredActionCode`, …
  public func checkActionCode(
    _ code: String, timeout: Duration? = nil
  ) async throws -> ActionCodeInfo {
    let code = Secret(code)
    return try await onWorkQueue { [engine] () throws(AuthError) in
      try ActionCodeInfo(try await engine.checkActionCodeInternal(code, timeout: timeout))
    }
  }

  /// Returns the purpose of a code, without using it up.
  public func checkActionCode(
    _ code: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<ActionCodeInfo>
  ) {
    let code = Secret(code)
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      try ActionCodeInfo(try await engine.checkActionCodeInternal(code, timeout: timeout))
    }
  }

  /// Applies a code: verifies, changes or recovers an address.
  ///
  /// Call `reload()` to update a user who is signed in here. If the address has changed, the user must sign in again.
  /// - Throws: `.invalidActionCode`, also for a code that sets a password or signs in; `.expiredActionCode`,
  ///   `.emailAlreadyInUse`, …
  public func applyActionCode(
    _ code: String, timeout: Duration? = nil
  ) async throws {
    let code = Secret(code)
    try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.applyActionCodeInternal(code, timeout: timeout)
    }
  }

  /// Applies a code: verifies, changes or recovers an address.
  @_disfavoredOverload
  public func applyActionCode(
    _ code: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    let code = Secret(code)
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      try await engine.applyActionCodeInternal(code, timeout: timeout)
    }
  }

  /// The sign-in methods of an address: `password`, `emailLink`, …
  ///
  /// Empty if there is no account, and always empty with enumeration protection, so a sign-in form cannot rely on it.
  public func fetchSignInMethods(
    forEmail email: String, timeout: Duration? = nil
  ) async throws -> [String] {
    return try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.signInMethodsInternal(email, timeout: timeout)
    }
  }

  /// The sign-in methods of an address.
  public func fetchSignInMethods(
    forEmail email: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<[String]>
  ) {
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      try await engine.signInMethodsInternal(email, timeout: timeout)
    }
  }

  /// Whether a link looks like a sign-in link: `mode=signIn` and a code.
  public func isSignIn(withEmailLink link: String) -> Bool {
    guard let url = ActionCodeURL(link: link) else { return false }
    return url.operation == .emailLink && url.code != nil
  }
}

extension SendOobCode {
  fileprivate static func signIn(_ email: String, _ settings: ActionCodeSettings) throws(AuthError) -> SendOobCode {
    guard settings.handleCodeInApp else {
      throw AuthError(.invalidArgument, "a sign-in link is for an app: set handleCodeInApp to true")
    }
    return SendOobCode(.emailSignIn, to: email, settings)
  }
}

extension AuthEngine {
  fileprivate func passwordResetEmail(_ code: Secret, timeout: Duration?) async throws(AuthError) -> String {
    let info = try ActionCodeInfo(try await checkActionCodeInternal(code, timeout: timeout))
    guard info.operation == .passwordReset else {
      throw AuthError(.invalidActionCode, "this code is not for a new password; use applyActionCode(_:)")
    }
    return info.email
  }
}
