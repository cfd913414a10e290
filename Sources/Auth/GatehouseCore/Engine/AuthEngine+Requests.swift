package import GatehouseBase
package import IdentityToolkit

// Messages with codes, and the calls that use the codes. None of them changes the session: if a code has changed the
// account, its user's next refresh or `reload()` fetches the change.
extension AuthEngine {
  /// Sends a message that requires no signed-in user.
  package func sendCodeInternal(_ call: SendOobCode, timeout: Duration?) async throws(AuthError) {
    _ = try await requests.ask(addressed(localized(call)), "send a message", timeout: timeout)
  }

  /// Sends a message about the account of a session.
  package func sendCodeInternal(
    _ call: SendOobCode, for session: UserSession, timeout: Duration?
  ) async throws(AuthError) {
    try await account.send(localized(call), for: session, timeout: timeout)
  }

  /// Returns the purpose of a code, without using it up.
  package func checkActionCodeInternal(
    _ code: Secret, timeout: Duration?
  ) async throws(AuthError) -> ResetPassword.Response {
    try await requests.ask(addressed(ResetPassword(oobCode: code)), "checkActionCode", timeout: timeout)
  }

  /// Sets a new password with a code.
  package func confirmPasswordResetInternal(
    _ code: Secret, newPassword: Secret, timeout: Duration?
  ) async throws(AuthError) {
    let call = addressed(ResetPassword(oobCode: code, newPassword: newPassword))
    _ = try await requests.ask(call, "confirmPasswordReset", timeout: timeout)
  }

  /// Applies a code.
  package func applyActionCodeInternal(_ code: Secret, timeout: Duration?) async throws(AuthError) {
    _ = try await requests.ask(addressed(Update(oobCode: code)), "applyActionCode", timeout: timeout)
  }

  /// Sends a code to a phone.
  ///
  /// - Returns: The message's identifier.
  package func sendVerificationCodeInternal(_ number: String, timeout: Duration?) async throws(AuthError) -> Secret {
    let call = addressed(localized(SendVerificationCode(phoneNumber: number)))
    return try await requests.ask(call, "verifyPhoneNumber", timeout: timeout).sessionInfo
  }

  /// Returns the project's password rules.
  package func passwordPolicyInternal(timeout: Duration?) async throws(AuthError) -> GetPasswordPolicy.Response {
    try await requests.ask(addressed(GetPasswordPolicy()), "validatePassword", timeout: timeout)
  }

  /// Returns the sign-in methods of an address; none with enumeration protection.
  package func signInMethodsInternal(_ email: String, timeout: Duration?) async throws(AuthError) -> [String] {
    let call = addressed(CreateAuthUri(identifier: email))
    return try await requests.ask(call, "fetchSignInMethods", timeout: timeout).signinMethods ?? []
  }

  func localized<C: LocalizedCall>(_ call: C) -> C {
    var call = call
    call.locale = languageCode
    return call
  }

  /// Returns the call, addressed to the accounts of the tenant whose users sign in.
  func addressed<C: TenantCall>(_ call: C) -> C { call.of(signIns.tenantID) }

  package func tenantIDInternal() -> String? { signIns.tenantID }
  package func setTenantIDInternal(_ tenantID: String?) { signIns.chooseTenant(tenantID) }

  package func languageCodeInternal() -> String? { languageCode }
  package func setLanguageCodeInternal(_ code: String?) { languageCode = code }
}
