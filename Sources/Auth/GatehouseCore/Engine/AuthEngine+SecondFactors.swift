package import GatehouseBase
package import IdentityToolkit

// Second factors.
extension AuthEngine {
  package func checkLiveInternal(_ session: UserSession) throws(AuthError) {
    try admission.checkOpen()
    try session.checkLive()
  }

  /// Begins to enroll an authenticator app.
  package func beginEnrollmentInternal(
    _ session: UserSession, timeout: Duration?
  ) async throws(AuthError) -> StartMfaEnrollment.TotpSession {
    try await account.beginEnrollment(session, timeout: timeout)
  }

  /// Completes an enrollment.
  package func enrollInternal(
    _ session: UserSession, _ proof: EnrollmentProof, displayName: String?, timeout: Duration?
  ) async throws(AuthError) {
    try await account.enroll(session, proof, displayName: displayName, timeout: timeout)
  }

  /// Sends a code to a phone that will be a second factor.
  package func sendEnrollmentCodeInternal(
    _ session: UserSession, to number: String, timeout: Duration?
  ) async throws(AuthError) -> Secret {
    try await account.sendEnrollmentCode(session, to: number, languageCode, timeout: timeout)
  }

  /// Sends a code to a phone that is the second factor of a waiting sign-in.
  package func sendSecondFactorCodeInternal(
    _ pending: Secret, factor: String, timeout: Duration?
  ) async throws(AuthError) -> Secret {
    let call = addressed(localized(StartMfaSignIn(pending, factor: factor)))
    return try await requests.ask(call, "verifyPhoneNumber", timeout: timeout).phoneResponseInfo.sessionInfo
  }

  /// Removes a factor.
  package func unenrollInternal(
    _ session: UserSession, factor: String, timeout: Duration?
  ) async throws(AuthError) {
    try await account.unenroll(session, factor: factor, timeout: timeout)
  }

  /// Makes recovery codes.
  package func makeRecoveryCodesInternal(
    _ session: UserSession, timeout: Duration?
  ) async throws(AuthError) -> [Secret] {
    try await account.makeRecoveryCodes(session, timeout: timeout)
  }

  /// Completes a sign-in that waits for a second factor.
  package func signInInternal(
    _ pending: Secret, with proof: SecondFactorProof, timeout: Duration?
  ) async throws(AuthError) -> SignInResult {
    try await signIns.signIn(pending, with: proof, timeout: timeout)
  }

  /// Completes a reauthentication that waits for a second factor.
  package func reauthenticateInternal(
    _ session: UserSession, _ pending: Secret, with proof: SecondFactorProof, timeout: Duration?
  ) async throws(AuthError) -> SignInResult {
    try await account.reauthenticate(session, pending, with: proof, timeout: timeout)
    return SignInResult(session: session, isNewUser: false, providerID: nil)
  }
}
