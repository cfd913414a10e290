package import GatehouseBase
package import IdentityToolkit

// Messages with codes, and what the codes do. None of these calls changes the session: when a code has changed the
// account, its user's next refresh or `reload()` learns of it.
extension AuthEngine {
  /// Sends a message for which no user need be signed in.
  package func sendCodeInternal(_ call: SendOobCode, timeout: Duration?) async throws(AuthError) {
    _ = try await requests.ask(addressed(localized(call)), "send a message", timeout: timeout)
  }

  /// Sends a message about the account of a session.
  package func sendCodeInternal(
    _ call: SendOobCode, for session: UserSession, timeout: Duration?
  ) async throws(AuthError) {
    try await account.send(localized(call), for: session, timeout: timeout)
  }

  /// Asks what a code is for. The code stays good.
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

  /// Does what a code is for.
  package func applyActionCodeInternal(_ code: Secret, timeout: Duration?) async throws(AuthError) {
    _ = try await requests.ask(addressed(Update(oobCode: code)), "applyActionCode", timeout: timeout)
  }

  /// Sends a code to a phone.
  ///
  /// - Returns: what names the message.
  package func sendVerificationCodeInternal(_ number: String, timeout: Duration?) async throws(AuthError) -> Secret {
    let call = addressed(localized(SendVerificationCode(phoneNumber: number)))
    return try await requests.ask(call, "verifyPhoneNumber", timeout: timeout).sessionInfo
  }

  /// The project's rules for passwords.
  package func passwordPolicyInternal(timeout: Duration?) async throws(AuthError) -> GetPasswordPolicy.Response {
    try await requests.ask(addressed(GetPasswordPolicy()), "validatePassword", timeout: timeout)
  }

  /// The ways in which an address can sign in; none with enumeration protection.
  package func signInMethodsInternal(_ email: String, timeout: Duration?) async throws(AuthError) -> [String] {
    let call = addressed(CreateAuthUri(identifier: email))
    return try await requests.ask(call, "fetchSignInMethods", timeout: timeout).signinMethods ?? []
  }

  func localized<C: LocalizedCall>(_ call: C) -> C {
    var call = call
    call.locale = languageCode
    return call
  }

  /// About the accounts of the tenant whose users sign in.
  func addressed<C: TenantCall>(_ call: C) -> C { call.of(signIns.tenantID) }

  package func tenantIDInternal() -> String? { signIns.tenantID }
  package func setTenantIDInternal(_ tenantID: String?) { signIns.chooseTenant(tenantID) }

  package func languageCodeInternal() -> String? { languageCode }
  package func setLanguageCodeInternal(_ code: String?) { languageCode = code }
}
