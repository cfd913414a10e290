public import Gatehouse
import GatehouseQueues

// Firebase's completion forms. Each does what the `async` form of the same name does.
extension Auth {
  /// Creates an account and signs in to it.
  @preconcurrency
  public func createUser(
    withEmail email: String, password: String,
    @_inheritActorContext completion: FirebaseCompletion<AuthDataResult>?
  ) {
    createUser(withEmail: email, password: password, completion: callbacks.passing(to: completion))
  }

  /// Creates an account and signs in to it. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func createUser(withEmail email: String, password: String) {
    createUser(withEmail: email, password: password, completion: nil)
  }

  /// Signs in with an address and a password.
  @preconcurrency
  public func signIn(
    withEmail email: String, password: String,
    @_inheritActorContext completion: FirebaseCompletion<AuthDataResult>?
  ) {
    signIn(withEmail: email, password: password, completion: callbacks.passing(to: completion))
  }

  /// Signs in with an address and a password. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func signIn(withEmail email: String, password: String) {
    signIn(withEmail: email, password: password, completion: nil)
  }

  /// Signs in with the link of a message.
  @preconcurrency
  public func signIn(
    withEmail email: String, link: String,
    @_inheritActorContext completion: FirebaseCompletion<AuthDataResult>?
  ) {
    signIn(withEmail: email, link: link, completion: callbacks.passing(to: completion))
  }

  /// Signs in with the link of a message. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func signIn(withEmail email: String, link: String) { signIn(withEmail: email, link: link, completion: nil) }

  /// Signs in with a credential.
  @preconcurrency
  public func signIn(
    with credential: AuthCredential,
    @_inheritActorContext completion: FirebaseCompletion<AuthDataResult>?
  ) {
    signIn(with: credential, completion: callbacks.passing(to: completion))
  }

  /// Signs in with a credential. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func signIn(with credential: AuthCredential) { signIn(with: credential, completion: nil) }

  /// Signs in with a token that a server of the project has signed.
  @preconcurrency
  public func signIn(
    withCustomToken token: String,
    @_inheritActorContext completion: FirebaseCompletion<AuthDataResult>?
  ) {
    signIn(withCustomToken: token, completion: callbacks.passing(to: completion))
  }

  /// Signs in with a token that a server of the project has signed. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func signIn(withCustomToken token: String) { signIn(withCustomToken: token, completion: nil) }

  /// Signs in to an anonymous account; creates one if there is none.
  @preconcurrency
  public func signInAnonymously(

    @_inheritActorContext completion: FirebaseCompletion<AuthDataResult>?
  ) {
    signInAnonymously(completion: callbacks.passing(to: completion))
  }

  /// Signs in to an anonymous account; creates one if there is none. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func signInAnonymously() { signInAnonymously(completion: nil) }

  /// Makes a user of this or another `Auth` the current one. Without a user the error is `.nullUser`, and nothing
  /// changes.
  @preconcurrency
  public func updateCurrentUser(
    _ user: User?,
    @_inheritActorContext completion: FirebaseErrorCompletion?
  ) {
    let passing: Completion<Void> = callbacks.passing(to: completion)
    guard let user else {
      return callbacks.deliver(to: passing) { () throws(AuthError) in
        throw AuthError(.nullUser, "there is no user to make the current one; signOut() signs out")
      }
    }
    updateCurrentUser(user, completion: passing)
  }

  /// Makes a user of this or another `Auth` the current one. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func updateCurrentUser(_ user: User?) { updateCurrentUser(user, completion: nil) }

  /// Revokes the tokens of an identity provider.
  @preconcurrency
  public func revokeToken(
    withAuthorizationCode authorizationCode: String,
    @_inheritActorContext completion: FirebaseErrorCompletion?
  ) {
    revokeToken(withAuthorizationCode: authorizationCode, completion: callbacks.passing(to: completion))
  }

  /// Revokes the tokens of an identity provider. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func revokeToken(withAuthorizationCode authorizationCode: String) {
    revokeToken(withAuthorizationCode: authorizationCode, completion: nil)
  }
}
