public import Gatehouse

// Firebase's completion forms. Each does what the `async` form of the same name does.
extension Auth {
  /// Sends a message with a link that sets a new password.
  @preconcurrency
  public func sendPasswordReset(
    withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil,
    @_inheritActorContext completion: FirebaseErrorCompletion? = nil
  ) {
    sendPasswordReset(
      withEmail: email, actionCodeSettings: actionCodeSettings, completion: callbacks.passing(to: completion))
  }

  /// Sets a new password with the code of a message.
  @preconcurrency
  public func confirmPasswordReset(
    withCode code: String, newPassword: String,
    @_inheritActorContext completion: FirebaseErrorCompletion? = nil
  ) {
    confirmPasswordReset(withCode: code, newPassword: newPassword, completion: callbacks.passing(to: completion))
  }

  /// Passes the address of the account that a code sets a password for.
  @preconcurrency
  public func verifyPasswordResetCode(
    _ code: String,
    @_inheritActorContext completion: FirebaseCompletion<String>? = nil
  ) {
    verifyPasswordResetCode(code, completion: callbacks.passing(to: completion))
  }

  /// Passes what a code does, without using it.
  @preconcurrency
  public func checkActionCode(
    _ code: String,
    @_inheritActorContext completion: FirebaseCompletion<ActionCodeInfo>? = nil
  ) {
    checkActionCode(code, completion: callbacks.passing(to: completion))
  }

  /// Does what a code is for.
  @preconcurrency
  public func applyActionCode(
    _ code: String,
    @_inheritActorContext completion: FirebaseErrorCompletion? = nil
  ) {
    applyActionCode(code, completion: callbacks.passing(to: completion))
  }

  /// Sends a message with a link that signs in.
  @preconcurrency
  public func sendSignInLink(
    toEmail email: String, actionCodeSettings: ActionCodeSettings,
    @_inheritActorContext completion: FirebaseErrorCompletion? = nil
  ) {
    sendSignInLink(
      toEmail: email, actionCodeSettings: actionCodeSettings, completion: callbacks.passing(to: completion))
  }

  /// Passes the sign-in methods of an account; none under enumeration protection.
  @preconcurrency
  public func fetchSignInMethods(
    forEmail email: String,
    @_inheritActorContext completion: FirebaseCompletion<[String]>? = nil
  ) {
    fetchSignInMethods(forEmail: email, completion: callbacks.passing(to: completion))
  }
}
