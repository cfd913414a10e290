import GatehouseBase
import IdentityToolkit

extension FinalizeMfaSignIn: FakeCall {
  var kind: ScriptedBackend.Kind { .secondFactor }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> SecondFactorTokens {
    let parts = mfaPendingCredential.revealed.split(separator: ":")
    guard parts.count == 2, parts[0] == "pending", let entry = accounts.byID[String(parts[1])] else {
      throw AuthError(server: "INVALID_MFA_PENDING_CREDENTIAL")
    }
    guard totpVerificationInfo?.verificationCode.utf8.count == 6 else { throw AuthError(server: "INVALID_CODE") }
    let tokens = accounts.tokens(for: entry)
    return SecondFactorTokens(idToken: tokens.idToken, refreshToken: tokens.refreshToken)
  }
}
