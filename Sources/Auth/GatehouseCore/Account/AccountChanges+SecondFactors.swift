import GatehouseBase
import GatehouseQueues
import IdentityToolkit

// Second factors of an account. Each change revokes the user's other sessions; this one gets new tokens.
extension AccountChanges {
  /// Begins to enroll an authenticator app. The account has it once `enroll` has completed.
  func beginEnrollment(
    _ session: UserSession, timeout: Duration?
  ) async throws(AuthError) -> StartMfaEnrollment.TotpSession {
    try await ask(session, "generateSecret", timeout: timeout) { (idToken) throws(AuthError) in
      let answer = try await self.environment.ask(StartMfaEnrollment(idToken: idToken)).response
      guard let totp = answer.totpSessionInfo else {
        throw AuthError(
          .internalError, "\(StartMfaEnrollment.endpoint) was answered without a secret; check the backend")
      }
      return totp
    }
  }

  /// Sends a code to a phone that will be a second factor.
  ///
  /// - Returns: The message's identifier.
  func sendEnrollmentCode(
    _ session: UserSession, to number: String, _ locale: String?, timeout: Duration?
  ) async throws(AuthError) -> Secret {
    try await ask(session, "verifyPhoneNumber", timeout: timeout) { (idToken) throws(AuthError) in
      var call = StartMfaEnrollment(idToken: idToken, phoneNumber: number)
      call.locale = locale
      let answer = try await self.environment.ask(call).response
      guard let phone = answer.phoneSessionInfo else {
        throw AuthError(
          .internalError, "\(StartMfaEnrollment.endpoint) was answered without a session; check the backend")
      }
      return phone.sessionInfo
    }
  }

  func enroll(
    _ session: UserSession, _ proof: EnrollmentProof, displayName: String?, timeout: Duration?
  ) async throws(AuthError) {
    try await changeFactors(session, "enroll", timeout: timeout) { (idToken) throws(AuthError) in
      try await self.environment.ask(proof.call(of: idToken, displayName: displayName))
    }
  }

  func unenroll(_ session: UserSession, factor: String, timeout: Duration?) async throws(AuthError) {
    try await changeFactors(session, "unenroll", timeout: timeout) { (idToken) throws(AuthError) in
      try await self.environment.ask(WithdrawMfa(idToken: idToken, mfaEnrollmentId: factor))
    }
  }

  func makeRecoveryCodes(_ session: UserSession, timeout: Duration?) async throws(AuthError) -> [Secret] {
    try await ask(session, "generateRecoveryCodes", timeout: timeout) { (idToken) throws(AuthError) in
      try await self.environment.ask(MakeRecoveryCodes(idToken: idToken)).response.recoveryCodes
    }
  }

  private func changeFactors(
    _ session: UserSession, _ name: StaticString, timeout: Duration?,
    _ send:
      @escaping @WorkQueue @Sendable (Secret) async throws(AuthError) -> (
        response: SecondFactorTokens, received: ClockReading
      )
  ) async throws(AuthError) {
    try await change(session, name, timeout: timeout) { (change) throws(AuthError) in
      try await self.withIDToken(of: session, for: change) { (idToken) throws(AuthError) in
        try await self.alone(change) { () throws(AuthError) in
          let (response, received) = try await send(idToken)
          return try await response.tokens(of: session.uid, received: received)
        }
      }
    }
  }

  /// Makes a call that changes nothing the session holds, in its turn among the changes.
  func ask<Value: Sendable>(
    _ session: UserSession, _ name: StaticString, timeout: Duration?,
    _ send: @escaping @WorkQueue @Sendable (Secret) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    let answer = Promise<Value, AuthError>()
    try await inTurn(session, name, timeout: timeout) { (change) throws(AuthError) in
      let value = try await self.withIDToken(of: session, for: change) { (idToken) throws(AuthError) in
        try await send(idToken)
      }
      answer.resolve(.success(value))
    }
    return try await answer.value()
  }
}
