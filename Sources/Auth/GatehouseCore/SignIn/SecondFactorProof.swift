package import GatehouseBase
package import IdentityToolkit

/// The proof that completes a sign-in that waits for a second factor.
package enum SecondFactorProof: Sendable, Hashable {
  /// The one-time password that an authenticator app shows.
  case totp(factor: String, password: Secret)
  /// The code that was sent to a phone, and the identifier of its message.
  case phone(code: Secret, sessionInfo: Secret)
  case recoveryCode(Secret)

  func call(_ pending: Secret) -> FinalizeMfaSignIn {
    switch self {
    case .totp(let factor, let password): FinalizeMfaSignIn(pending, factor: factor, password: password.revealed)
    case .phone(let code, let sessionInfo):
      FinalizeMfaSignIn(pending, PhoneVerificationInfo(sessionInfo: sessionInfo, code: code))
    case .recoveryCode(let code): FinalizeMfaSignIn(pending, recoveryCode: code)
    }
  }
}

/// The proof that completes the enrollment of a second factor.
package enum EnrollmentProof: Sendable, Hashable {
  case totp(TotpVerificationInfo)
  case phone(PhoneVerificationInfo)

  func call(of idToken: Secret, displayName: String?) -> FinalizeMfaEnrollment {
    switch self {
    case .totp(let proof): FinalizeMfaEnrollment(idToken: idToken, displayName: displayName, proof)
    case .phone(let proof): FinalizeMfaEnrollment(idToken: idToken, displayName: displayName, proof)
    }
  }
}
