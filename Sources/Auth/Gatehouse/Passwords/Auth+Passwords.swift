import GatehouseCore
import GatehouseQueues

extension Auth {
  /// Fetches the project's password rules, and checks a password against them. The password is not sent.
  ///
  /// - Throws: `.operationNotAllowed` for a backend that does not provide its rules, `.networkError`, …
  public func validatePassword(
    _ password: String, timeout: Duration? = nil
  ) async throws -> PasswordValidation {
    let password = Secret(password)
    let policy = try await onWorkQueue { [engine] () throws(AuthError) in
      try await engine.passwordPolicyInternal(timeout: timeout)
    }
    return PasswordPolicy(policy).validate(password.revealed)
  }

  /// Fetches the project's password rules, and checks a password against them.
  public func validatePassword(
    _ password: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<PasswordValidation>
  ) {
    let password = Secret(password)
    engine.deliver(to: completion) { [engine] () throws(AuthError) in
      let policy = try await engine.passwordPolicyInternal(timeout: timeout)
      // In the background, because the length of a password is not limited.
      return await Background.run { PasswordPolicy(policy).validate(password.revealed) }
    }
  }
}
