import GatehouseBase
import IdentityToolkit

extension FinalizeMfaSignIn: FakeCall {
  var kind: ScriptedBackend.Kind { .secondFactor }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> SecondFactorTokens {
    let entry = try accounts.entry(ofPending: mfaPendingCredential)
    let code = totpVerificationInfo?.verificationCode ?? phoneVerificationInfo?.code.revealed ?? recoveryCode?.revealed
    guard code?.utf8.count == 6 else { throw AuthError(server: .invalidCode) }
    return accounts.secondFactorTokens(for: entry)
  }
}

extension StartMfaSignIn: FakeCall {
  var kind: ScriptedBackend.Kind { .sendSecondFactorCode }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> Response {
    _ = try accounts.entry(ofPending: mfaPendingCredential)
    return Response(StartMfaEnrollment.PhoneSession(sessionInfo: Secret("second factor")))
  }
}

extension StartMfaEnrollment: FakeCall {
  var kind: ScriptedBackend.Kind { .beginEnrollment }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> Response {
    _ = try accounts.entry(of: idToken)
    if let phone = phoneEnrollmentInfo {
      return Response(PhoneSession(sessionInfo: Secret("enrol:\(phone.phoneNumber)")))
    }
    return Response(TotpSession(sharedSecretKey: Secret("JBSWY3DPEHPK3PXP"), sessionInfo: Secret("enrol:totp")))
  }
}

/// Any code of six digits is valid.
extension FinalizeMfaEnrollment: FakeCall {
  var kind: ScriptedBackend.Kind { .enroll }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> SecondFactorTokens {
    var entry = try accounts.entry(of: idToken)
    let code = totpVerificationInfo?.verificationCode ?? phoneVerificationInfo?.code.revealed
    guard code?.utf8.count == 6 else { throw AuthError(server: .invalidCode) }
    var factor = SecondFactor(
      uid: "factor-\(accounts.next())", factorID: phoneVerificationInfo == nil ? "totp" : "phone")
    factor.displayName = displayName
    entry.account.mfaInfo = (entry.account.mfaInfo ?? []) + [Account.MfaEnrollment(factor)]
    entry.epoch += 1
    accounts.byID[entry.account.localId] = entry
    return accounts.secondFactorTokens(for: entry)
  }
}

extension WithdrawMfa: FakeCall {
  var kind: ScriptedBackend.Kind { .unenroll }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> SecondFactorTokens {
    var entry = try accounts.entry(of: idToken)
    let rest = (entry.account.mfaInfo ?? []).filter { $0.mfaEnrollmentId != mfaEnrollmentId }
    guard rest.count < entry.account.mfaInfo?.count ?? 0 else { throw AuthError(server: .mfaEnrollmentNotFound) }
    entry.account.mfaInfo = rest.isEmpty ? nil : rest
    entry.epoch += 1
    accounts.byID[entry.account.localId] = entry
    return accounts.secondFactorTokens(for: entry)
  }
}

extension MakeRecoveryCodes: FakeCall {
  var kind: ScriptedBackend.Kind { .recoveryCodes }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> Response {
    guard try accounts.entry(of: idToken).account.mfaInfo != nil else {
      throw AuthError(server: .mfaEnrollmentNotFound)
    }
    return Response(recoveryCodes: (0..<10).map { Secret("code-\($0)") })
  }
}

extension FakeAccounts {
  fileprivate func entry(ofPending credential: Secret) throws(AuthError) -> Entry {
    let parts = credential.revealed.split(separator: ":")
    guard parts.count == 2, parts[0] == "pending", let entry = byID[String(parts[1])] else {
      throw AuthError(server: .invalidMFAPendingCredential)
    }
    return entry
  }

  fileprivate mutating func secondFactorTokens(for entry: Entry) -> SecondFactorTokens {
    let tokens = tokens(for: entry)
    return SecondFactorTokens(idToken: tokens.idToken, refreshToken: tokens.refreshToken)
  }
}
