import GatehouseCore
import GatehouseQueues

extension Auth {
  /// Asks for the project's rules for passwords, and holds a password against them. The password is not sent.
  ///
  /// - Throws: `.operationNotAllowed` for a backend that does not tell its rules, `.networkError`, …
  public func validatePassword(
    _ password: String, timeout: Duration? = nil
  ) async throws(AuthError) -> PasswordValidation {
    let password = Secret(password)
    let policy = try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.passwordPolicyInternal(timeout: timeout)
    }
    return PasswordPolicy(policy).validate(password.revealed)
  }

  /// Asks for the project's rules for passwords, and holds a password against them.
  public func validatePassword(
    _ password: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<PasswordValidation>
  ) {
    let password = Secret(password)
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      let policy = try await engine.passwordPolicyInternal(timeout: timeout)
      // A password is as long as the user likes.
      return await Background.run { PasswordPolicy(policy).validate(password.revealed) }
    }
  }
}
