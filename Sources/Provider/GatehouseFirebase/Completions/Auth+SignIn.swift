public import Gatehouse

// Firebase's completion forms. Each does what the `async` form of the same name does.
extension Auth {
  /// Creates an account and signs in to it.
  @preconcurrency
  public func createUser(
    withEmail email: String, password: String,
    @_inheritActorContext completion: FirebaseCompletion<AuthDataResult>? = nil
  ) {
    createUser(withEmail: email, password: password, completion: callbacks.passing(to: completion))
  }

  /// Signs in with an address and a password.
  @preconcurrency
  public func signIn(
    withEmail email: String, password: String,
    @_inheritActorContext completion: FirebaseCompletion<AuthDataResult>? = nil
  ) {
    signIn(withEmail: email, password: password, completion: callbacks.passing(to: completion))
  }

  /// Signs in with the link of a message.
  @preconcurrency
  public func signIn(
    withEmail email: String, link: String,
    @_inheritActorContext completion: FirebaseCompletion<AuthDataResult>? = nil
  ) {
    signIn(withEmail: email, link: link, completion: callbacks.passing(to: completion))
  }

  /// Signs in with a credential.
  @preconcurrency
  public func signIn(
    with credential: AuthCredential,
    @_inheritActorContext completion: FirebaseCompletion<AuthDataResult>? = nil
  ) {
    signIn(with: credential, completion: callbacks.passing(to: completion))
  }

  /// Signs in with a token that a server of the project has signed.
  @preconcurrency
  public func signIn(
    withCustomToken token: String,
    @_inheritActorContext completion: FirebaseCompletion<AuthDataResult>? = nil
  ) {
    signIn(withCustomToken: token, completion: callbacks.passing(to: completion))
  }

  /// Signs in to an anonymous account; creates one if there is none.
  @preconcurrency
  public func signInAnonymously(

    @_inheritActorContext completion: FirebaseCompletion<AuthDataResult>? = nil
  ) {
    signInAnonymously(completion: callbacks.passing(to: completion))
  }

  /// Makes a user of this or another `Auth` the current one.
  @preconcurrency
  public func updateCurrentUser(
    _ user: User?,
    @_inheritActorContext completion: FirebaseErrorCompletion? = nil
  ) {
    updateCurrentUser(user, completion: callbacks.passing(to: completion))
  }

  /// Revokes the tokens of an identity provider.
  @preconcurrency
  public func revokeToken(
    withAuthorizationCode authorizationCode: String,
    @_inheritActorContext completion: FirebaseErrorCompletion? = nil
  ) {
    revokeToken(withAuthorizationCode: authorizationCode, completion: callbacks.passing(to: completion))
  }
}
