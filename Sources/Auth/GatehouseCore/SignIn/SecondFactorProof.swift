package import GatehouseBase
import IdentityToolkit

/// What ends a sign-in that waits for a second factor.
package enum SecondFactorProof: Sendable, Hashable {
  /// The password that an authenticator app shows.
  case totp(factor: String, password: Secret)
  case recoveryCode(Secret)

  func call(_ pending: Secret) -> FinalizeMfaSignIn {
    switch self {
    case .totp(let factor, let password): FinalizeMfaSignIn(pending, factor: factor, password: password.revealed)
    case .recoveryCode(let code): FinalizeMfaSignIn(pending, recoveryCode: code)
    }
  }
}
