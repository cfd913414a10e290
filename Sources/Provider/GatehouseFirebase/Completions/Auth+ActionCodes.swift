public import Gatehouse
import GatehouseQueues

// Firebase's completion forms. Each does what the `async` form of the same name does.
extension Auth {
  /// Sends a message with a link that sets a new password.
  @preconcurrency
  public func sendPasswordReset(
    withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil,
    @_inheritActorContext completion: FirebaseErrorCompletion?
  ) {
    sendPasswordReset(
      withEmail: email, actionCodeSettings: actionCodeSettings, completion: callbacks.passing(to: completion))
  }

  /// Sends a message with a link that sets a new password. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func sendPasswordReset(withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil) {
    sendPasswordReset(withEmail: email, actionCodeSettings: actionCodeSettings, completion: nil)
  }

  /// Sets a new password with the code of a message.
  @preconcurrency
  public func confirmPasswordReset(
    withCode code: String, newPassword: String,
    @_inheritActorContext completion: FirebaseErrorCompletion?
  ) {
    confirmPasswordReset(withCode: code, newPassword: newPassword, completion: callbacks.passing(to: completion))
  }

  /// Sets a new password with the code of a message. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func confirmPasswordReset(withCode code: String, newPassword: String) {
    confirmPasswordReset(withCode: code, newPassword: newPassword, completion: nil)
  }

  /// Passes the address of the account that a code sets a password for.
  @preconcurrency
  public func verifyPasswordResetCode(
    _ code: String,
    @_inheritActorContext completion: FirebaseCompletion<String>?
  ) {
    verifyPasswordResetCode(code, completion: callbacks.passing(to: completion))
  }

  /// Passes what a code does, without using it.
  @preconcurrency
  public func checkActionCode(
    _ code: String,
    @_inheritActorContext completion: FirebaseCompletion<ActionCodeInfo>?
  ) {
    checkActionCode(code, completion: callbacks.passing(to: completion))
  }

  /// Does what a code is for.
  @preconcurrency
  public func applyActionCode(
    _ code: String,
    @_inheritActorContext completion: FirebaseErrorCompletion?
  ) {
    applyActionCode(code, completion: callbacks.passing(to: completion))
  }

  /// Does what a code is for. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func applyActionCode(_ code: String) { applyActionCode(code, completion: nil) }

  /// Sends a message with a link that signs in.
  @preconcurrency
  public func sendSignInLink(
    toEmail email: String, actionCodeSettings: ActionCodeSettings,
    @_inheritActorContext completion: FirebaseErrorCompletion?
  ) {
    sendSignInLink(
      toEmail: email, actionCodeSettings: actionCodeSettings, completion: callbacks.passing(to: completion))
  }

  /// Sends a message with a link that signs in. The caller is not told the outcome.
  @available(*, noasync, message: "at the top level of main.swift, pass timeout: nil to the async call")
  public func sendSignInLink(toEmail email: String, actionCodeSettings: ActionCodeSettings) {
    sendSignInLink(toEmail: email, actionCodeSettings: actionCodeSettings, completion: nil)
  }

  /// Passes the sign-in methods of an account. Without an account, and under enumeration protection, both parameters
  /// are `nil`.
  @preconcurrency
  public func fetchSignInMethods(
    forEmail email: String,
    @_inheritActorContext completion: FirebaseCompletion<[String]>?
  ) {
    guard let completion else { return fetchSignInMethods(forEmail: email, completion: CallbackQueue.ignoring()) }
    fetchSignInMethods(
      forEmail: email,
      completion: callbacks.completion(passingOnTo: completion, isolatedTo: completion.isolation) {
        _, completion, result in
        switch result {
        case .success(let methods): await completion(methods.isEmpty ? nil : methods, nil)
        case .failure(let error): await completion(nil, error)
        }
      })
  }
}
