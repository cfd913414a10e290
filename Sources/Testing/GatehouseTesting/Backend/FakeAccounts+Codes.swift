import GatehouseBase
import IdentityToolkit

extension FakeAccounts {
  /// Returns the code with this text, which is used up unless it is only checked.
  mutating func use(_ code: Secret, _ types: Set<ActionCodeType>? = nil, checking: Bool = false) throws(AuthError)
    -> Code
  {
    guard let found = codes[code.revealed], types?.contains(found.type) ?? true else {
      throw AuthError(server: .invalidOOBCode)
    }
    if !checking { codes[code.revealed] = nil }
    return found
  }

  mutating func apply(_ code: Secret) throws(AuthError) -> Update.Response {
    let code = try use(code, [.verifyEmail, .verifyAndChangeEmail])
    guard let uid = code.uid, var entry = byID[uid] else { throw AuthError(server: .userNotFound) }
    entry.account.emailVerified = true
    if let newEmail = code.newEmail {
      entry.hasAddress(newEmail)
      entry.epoch += 1
    }
    byID[uid] = entry
    return Update.Response(localId: uid)
  }

  /// Makes the account of a sign-in.
  mutating func made(uid: String? = nil) -> Entry {
    var entry = Entry(account: Account(localId: uid ?? "user-\(next())"))
    entry.account.tenantId = tenant
    entry.account.createdAt = DecimalString(1_800_000_000_000)
    return entry
  }
}

extension SendOobCode: FakeCall {
  var kind: ScriptedBackend.Kind { .sendCode }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> Response {
    let account: Account?
    if let idToken {
      account = try accounts.entry(of: idToken).account
    } else {
      account = email.flatMap { accounts.entry(email: $0)?.account }
    }
    guard let recipient = newEmail ?? email ?? account?.email else { throw AuthError(server: .missingEmail) }
    if requestType == .passwordReset, account == nil { throw AuthError(server: .emailNotFound, email: recipient) }
    let code = "code-\(accounts.next())"
    accounts.codes[code] = FakeAccounts.Code(
      type: requestType, uid: account?.localId, email: account?.email ?? recipient, newEmail: newEmail)
    accounts.messages.append((self, code))
    return Response(email: recipient)
  }
}

extension ResetPassword: FakeCall {
  var kind: ScriptedBackend.Kind { .resetPassword }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> Response {
    let code = try accounts.use(oobCode, newPassword == nil ? nil : [.passwordReset], checking: newPassword == nil)
    if let newPassword, let uid = code.uid, var entry = accounts.byID[uid] {
      entry.password = newPassword
      entry.epoch += 1
      accounts.byID[uid] = entry
    }
    return Response(requestType: code.type, email: code.email, newEmail: code.newEmail)
  }
}

extension SignInWithEmailLink: FakeCall {
  var kind: ScriptedBackend.Kind { .signInWithLink }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> SignInResponse {
    let code = try accounts.use(oobCode, [.emailSignIn])
    guard code.email.isExactly(email) else { throw AuthError(server: .invalidEmail, email: email) }
    let existing = accounts.entry(email: email)
    var entry: FakeAccounts.Entry
    if let idToken { entry = try accounts.entry(of: idToken) } else { entry = existing ?? accounts.made() }
    entry.hasAddress(email)
    entry.account.emailVerified = true
    accounts.byID[entry.account.localId] = entry
    var response = accounts.tokens(for: entry)
    response.isNewUser = existing == nil && idToken == nil
    return response
  }
}

extension SignInWithCustomToken: FakeCall {
  var kind: ScriptedBackend.Kind { .signInWithCustomToken }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> Response {
    guard token.revealed.hasPrefix("custom:") else { throw AuthError(server: .invalidCustomToken) }
    let uid = String(token.revealed.dropFirst("custom:".count))
    let existing = accounts.byID[uid]
    var entry = existing ?? accounts.made(uid: uid)
    entry.account.customAuth = true
    accounts.byID[uid] = entry
    let tokens = accounts.tokens(for: entry)
    return Response(
      idToken: tokens.idToken, refreshToken: tokens.refreshToken, expiresIn: accounts.lifetime,
      isNewUser: existing == nil)
  }
}

extension CreateAuthUri: FakeCall {
  var kind: ScriptedBackend.Kind { .signInMethods }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> Response {
    var response = Response()
    let entry = accounts.entry(email: identifier)
    response.registered = entry != nil
    response.signinMethods = entry.map { $0.password == nil ? ["emailLink"] : ["password"] } ?? []
    return response
  }
}
