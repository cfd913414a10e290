public import Gatehouse

// Firebase's completion forms. Each does what the `async` form of the same name does.
extension User {
  /// Fetches the user's profile from the provider.
  @preconcurrency public func reload(@_inheritActorContext completion: FirebaseErrorCompletion? = nil) {
    reload(completion: callbacks.passing(to: completion))
  }

  /// Deletes the account, and signs out.
  @preconcurrency public func delete(@_inheritActorContext completion: FirebaseErrorCompletion? = nil) {
    delete(completion: callbacks.passing(to: completion))
  }

  /// Proves again who the user is.
  @preconcurrency
  public func reauthenticate(
    with credential: AuthCredential,
    @_inheritActorContext completion: FirebaseCompletion<AuthDataResult>? = nil
  ) {
    reauthenticate(with: credential, completion: callbacks.passing(to: completion))
  }

  /// Adds a way to sign in to the account.
  @preconcurrency
  public func link(
    with credential: AuthCredential,
    @_inheritActorContext completion: FirebaseCompletion<AuthDataResult>? = nil
  ) {
    link(with: credential, completion: callbacks.passing(to: completion))
  }

  /// Removes a way to sign in from the account.
  @preconcurrency
  public func unlink(
    fromProvider provider: String,
    @_inheritActorContext completion: FirebaseCompletion<User>? = nil
  ) {
    self.unlink(fromProvider: provider, completion: callbacks.passing(to: completion))
  }

  /// Changes the address of the account.
  @preconcurrency
  public func updateEmail(
    to email: String,
    @_inheritActorContext completion: FirebaseErrorCompletion? = nil
  ) {
    updateEmail(to: email, completion: callbacks.passing(to: completion))
  }

  /// Changes the password of the account.
  @preconcurrency
  public func updatePassword(
    to password: String,
    @_inheritActorContext completion: FirebaseErrorCompletion? = nil
  ) {
    updatePassword(to: password, completion: callbacks.passing(to: completion))
  }

  /// Changes the phone number of the account.
  @preconcurrency
  public func updatePhoneNumber(
    _ credential: PhoneAuthCredential,
    @_inheritActorContext completion: FirebaseErrorCompletion? = nil
  ) {
    updatePhoneNumber(credential, completion: callbacks.passing(to: completion))
  }

  /// Sends a message with a link that proves the address to be the user's.
  @preconcurrency
  public func sendEmailVerification(
    with actionCodeSettings: ActionCodeSettings? = nil,
    @_inheritActorContext completion: FirebaseErrorCompletion? = nil
  ) {
    sendEmailVerification(with: actionCodeSettings, completion: callbacks.passing(to: completion))
  }

  /// Sends a message to a new address, with a link that makes it the account's.
  @preconcurrency
  public func sendEmailVerification(
    beforeUpdatingEmail email: String, actionCodeSettings: ActionCodeSettings? = nil,
    @_inheritActorContext completion: FirebaseErrorCompletion? = nil
  ) {
    sendEmailVerification(
      beforeUpdatingEmail: email, actionCodeSettings: actionCodeSettings, completion: callbacks.passing(to: completion))
  }
}

extension UserProfileChangeRequest {
  /// Makes the change, after the user's earlier changes.
  @preconcurrency public func commitChanges(@_inheritActorContext completion: FirebaseErrorCompletion? = nil) {
    commitChanges(completion: callbacks.passing(to: completion))
  }
}
