import GatehouseBase
import IdentityToolkit

extension FakeAccounts.Entry {
  /// Adds a way to sign in, or replaces that of the same provider.
  mutating func has(_ way: Account.ProviderUserInfo) {
    account.providerUserInfo = (account.providerUserInfo ?? []).filter { $0.providerId != way.providerId } + [way]
  }

  mutating func hasPhone(_ number: String) {
    account.phoneNumber = number
    var way = Account.ProviderUserInfo(providerId: "phone")
    way.rawId = number
    way.phoneNumber = number
    has(way)
  }
}

extension FakeAccounts {
  /// Returns the account with this way to sign in.
  func entry(_ provider: String, _ subject: String) -> Entry? {
    byID.values.first { entry in
      entry.account.providerUserInfo?.contains { $0.providerId == provider && $0.rawId == subject } ?? false
    }
  }
}

/// A credential is valid if its token is `idp:SUBJECT`, or `idp:SUBJECT:ADDRESS`.
extension SignInWithIdp: FakeCall {
  var kind: ScriptedBackend.Kind { .signInWithIdentity }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> Response {
    let token = (credential?.idToken ?? credential?.accessToken)?.revealed ?? pendingToken?.revealed ?? ""
    let parts = token.split(separator: ":").map(String.init)
    guard let provider = credential?.providerID, parts.count >= 2, parts[0] == "idp" else {
      throw AuthError(server: .invalidIDPResponse)
    }
    var response = Response(providerId: provider)
    response.oauthIdToken = credential?.idToken
    response.rawUserInfo = Secret(#"{"sub":"\#(parts[1])"}"#)
    let known = accounts.entry(provider, parts[1])
    let owner = parts.count > 2 ? accounts.entry(email: parts[2]) : nil
    var entry: FakeAccounts.Entry
    if let idToken {
      entry = try accounts.entry(of: idToken)
      if let known, known.account.localId != entry.account.localId {
        response.errorMessage = "FEDERATED_USER_ID_ALREADY_LINKED"
        return response
      }
    } else if known == nil, owner != nil {
      response.needConfirmation = true
      response.email = parts[2]
      return response
    } else {
      if known == nil, !autoCreate { throw AuthError(server: .userNotFound) }
      entry = known ?? accounts.made()
      response.isNewUser = known == nil
    }
    var way = Account.ProviderUserInfo(providerId: provider)
    way.rawId = parts[1]
    entry.has(way)
    accounts.byID[entry.account.localId] = entry
    let tokens = accounts.tokens(for: entry)
    response.localId = tokens.localId
    response.idToken = tokens.idToken
    response.refreshToken = tokens.refreshToken
    response.expiresIn = tokens.expiresIn
    return response
  }
}

extension SendVerificationCode: FakeCall {
  var kind: ScriptedBackend.Kind { .sendPhoneCode }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> Response {
    guard phoneNumber.hasPrefix("+") else { throw AuthError(server: .invalidPhoneNumber) }
    return Response(sessionInfo: Secret("phone:\(phoneNumber)"))
  }
}

/// Any code of six digits is valid.
extension SignInWithPhoneNumber: FakeCall {
  var kind: ScriptedBackend.Kind { .signInWithPhone }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> Response {
    let number: String
    if let temporaryProof {
      number = String(temporaryProof.revealed.dropFirst("proof:".count))
    } else {
      guard let sessionInfo, sessionInfo.revealed.hasPrefix("phone:") else {
        throw AuthError(server: .invalidSessionInfo)
      }
      guard code?.revealed.utf8.count == 6 else { throw AuthError(server: .invalidCode) }
      number = String(sessionInfo.revealed.dropFirst("phone:".count))
    }
    let known = accounts.entry("phone", number)
    var response = Response()
    response.phoneNumber = number
    var entry: FakeAccounts.Entry
    if let idToken {
      entry = try accounts.entry(of: idToken)
      if let known, known.account.localId != entry.account.localId {
        response.temporaryProof = Secret("proof:\(number)")
        return response
      }
    } else {
      if known == nil, operation == .reauthenticate { throw AuthError(server: .userNotFound) }
      entry = known ?? accounts.made()
      response.isNewUser = known == nil
    }
    entry.hasPhone(number)
    accounts.byID[entry.account.localId] = entry
    let tokens = accounts.tokens(for: entry)
    response.localId = tokens.localId
    response.idToken = tokens.idToken
    response.refreshToken = tokens.refreshToken
    response.expiresIn = tokens.expiresIn
    return response
  }
}

extension ListSessions: FakeCall {
  var kind: ScriptedBackend.Kind { .sessions }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> Response {
    let entry = try accounts.entry(of: idToken)
    var session = Session(
      sessionId: "session-\(entry.epoch)", signInProvider: "password", authTime: DecimalString(1_800_000_000))
    session.isCurrent = true
    return Response(sessions: [session])
  }
}

extension RevokeSessions: FakeCall {
  var kind: ScriptedBackend.Kind { .revokeSessions }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> Response {
    var entry = try accounts.entry(of: idToken)
    entry.epoch += 1
    accounts.byID[entry.account.localId] = entry
    return Response()
  }
}

extension RevokeToken: FakeCall {
  var kind: ScriptedBackend.Kind { .revokeToken }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> Response {
    _ = try accounts.entry(of: idToken)
    return Response()
  }
}

extension GetPasswordPolicy: FakeCall {
  var kind: ScriptedBackend.Kind { .passwordPolicy }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> Response {
    var strength = Strength()
    strength.minPasswordLength = 6
    return Response(strength)
  }
}
