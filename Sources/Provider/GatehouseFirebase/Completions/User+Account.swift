public import Gatehouse

// Firebase's completion forms. Each does what the `async` form of the same name does.
extension User {
  /// Fetches the user's profile from the provider.
  @preconcurrency public func reload(@_inheritActorContext completion: FirebaseErrorCompletion?) {
    reload(completion: callbacks.passing(to: completion))
  }

  /// Fetches the user's profile from the provider. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func reload() { reload(completion: nil) }

  /// Deletes the account, and signs out.
  @preconcurrency public func delete(@_inheritActorContext completion: FirebaseErrorCompletion?) {
    delete(completion: callbacks.passing(to: completion))
  }

  /// Deletes the account, and signs out. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func delete() { delete(completion: nil) }

  /// Proves again who the user is.
  @preconcurrency
  public func reauthenticate(
    with credential: AuthCredential,
    @_inheritActorContext completion: FirebaseCompletion<AuthDataResult>?
  ) {
    reauthenticate(with: credential, completion: callbacks.passing(to: completion))
  }

  /// Proves again who the user is. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func reauthenticate(with credential: AuthCredential) { reauthenticate(with: credential, completion: nil) }

  /// Adds a way to sign in to the account.
  @preconcurrency
  public func link(
    with credential: AuthCredential,
    @_inheritActorContext completion: FirebaseCompletion<AuthDataResult>?
  ) {
    link(with: credential, completion: callbacks.passing(to: completion))
  }

  /// Adds a way to sign in to the account. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func link(with credential: AuthCredential) { link(with: credential, completion: nil) }

  /// Removes a way to sign in from the account.
  @preconcurrency
  public func unlink(
    fromProvider provider: String,
    @_inheritActorContext completion: FirebaseCompletion<User>?
  ) {
    self.unlink(fromProvider: provider, completion: callbacks.passing(to: completion))
  }

  /// Removes a way to sign in from the account. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func unlink(fromProvider provider: String) { self.unlink(fromProvider: provider, completion: nil) }

  /// Changes the address of the account.
  @preconcurrency
  public func updateEmail(
    to email: String,
    @_inheritActorContext completion: FirebaseErrorCompletion?
  ) {
    updateEmail(to: email, completion: callbacks.passing(to: completion))
  }

  /// Changes the address of the account. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func updateEmail(to email: String) { updateEmail(to: email, completion: nil) }

  /// Changes the password of the account.
  @preconcurrency
  public func updatePassword(
    to password: String,
    @_inheritActorContext completion: FirebaseErrorCompletion?
  ) {
    updatePassword(to: password, completion: callbacks.passing(to: completion))
  }

  /// Changes the password of the account. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func updatePassword(to password: String) { updatePassword(to: password, completion: nil) }

  /// Changes the phone number of the account.
  @preconcurrency
  public func updatePhoneNumber(
    _ credential: PhoneAuthCredential,
    @_inheritActorContext completion: FirebaseErrorCompletion?
  ) {
    updatePhoneNumber(credential, completion: callbacks.passing(to: completion))
  }

  /// Changes the phone number of the account. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func updatePhoneNumber(_ credential: PhoneAuthCredential) { updatePhoneNumber(credential, completion: nil) }

  /// Sends a message with a link that proves the address to be the user's.
  @preconcurrency
  public func sendEmailVerification(
    with actionCodeSettings: ActionCodeSettings? = nil,
    @_inheritActorContext completion: FirebaseErrorCompletion?
  ) {
    sendEmailVerification(with: actionCodeSettings, completion: callbacks.passing(to: completion))
  }

  /// Sends a message with a link that proves the address to be the user's. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func sendEmailVerification(with actionCodeSettings: ActionCodeSettings? = nil) {
    sendEmailVerification(with: actionCodeSettings, completion: nil)
  }

  /// Sends a message to a new address, with a link that makes it the account's.
  @preconcurrency
  public func sendEmailVerification(
    beforeUpdatingEmail email: String, actionCodeSettings: ActionCodeSettings? = nil,
    @_inheritActorContext completion: FirebaseErrorCompletion?
  ) {
    sendEmailVerification(
      beforeUpdatingEmail: email, actionCodeSettings: actionCodeSettings, completion: callbacks.passing(to: completion))
  }

  /// Sends a message to a new address, with a link that makes it the account's. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func sendEmailVerification(beforeUpdatingEmail email: String, actionCodeSettings: ActionCodeSettings? = nil) {
    sendEmailVerification(beforeUpdatingEmail: email, actionCodeSettings: actionCodeSettings, completion: nil)
  }
}

extension UserProfileChangeRequest {
  /// Makes the change, after the user's earlier changes.
  @preconcurrency public func commitChanges(@_inheritActorContext completion: FirebaseErrorCompletion?) {
    commitChanges(completion: callbacks.passing(to: completion))
  }

  /// Makes the change, after the user's earlier changes. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func commitChanges() { commitChanges(completion: nil) }
}
