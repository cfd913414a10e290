import GatehouseBase
import IdentityToolkit

/// The accounts of a `ScriptedBackend`.
struct FakeAccounts: Sendable {
  struct Entry: Sendable {
    var account: Account
    var password: Secret?
    /// Refresh tokens of an earlier epoch are revoked.
    var epoch = 0

    /// Sets the account's address, which becomes a way to sign in.
    mutating func hasAddress(_ email: String) {
      account.email = email
      var info = Account.ProviderUserInfo(providerId: "password")
      info.rawId = email
      info.email = email
      has(info)
    }
  }

  var byID: [String: Entry] = [:]
  var lifetime = Duration.seconds(3600)
  var messages: [(call: SendOobCode, code: String)] = []
  /// The codes that were not used yet.
  var codes: [String: Code] = [:]
  /// The tenant of the call that is being answered. New accounts belong to it, and addresses are looked up in it.
  var tenant: String?
  private var serial = 0

  /// The purpose of a message's code.
  struct Code: Sendable {
    let type: ActionCodeType
    let uid: String?
    let email: String
    let newEmail: String?
  }

  mutating func next() -> Int {
    serial += 1
    return serial
  }

  /// Returns the account with this address, in any spelling.
  func entry(email: String) -> Entry? {
    let email = email.emailForm
    return byID.values.first { $0.account.email?.isExactly(email) == true && $0.account.tenantId.isExactly(tenant) }
  }

  func entry(of idToken: Secret) throws(AuthError) -> Entry {
    let parts = idToken.revealed.split(separator: ".")
    guard parts.count == 3, let entry = byID[Self.uid(in: String(parts[2]))] else {
      throw AuthError(server: .invalidIDToken)
    }
    return entry
  }

  func entry(ofRefresh token: Secret) throws(AuthError) -> Entry {
    let parts = token.revealed.split(separator: "/")
    guard parts.count == 3, parts[0] == "refresh", let entry = byID[String(parts[1])] else {
      throw AuthError(server: .userNotFound)
    }
    guard Int(parts[2]) == entry.epoch else { throw AuthError(server: .tokenExpired) }
    if entry.account.disabled == true { throw AuthError(server: .userDisabled) }
    return entry
  }

  mutating func tokens(for entry: Entry) -> SignInResponse {
    let uid = entry.account.localId
    let expiry = Int64(1_800_000_000).addingReportingOverflow(lifetime.wholeSeconds)
    let signInProvider = entry.password == nil ? "anonymous" : "password"
    let payload =
      #"{"sub":"\#(uid)","user_id":"\#(uid)","iat":1800000000,"exp":\#(expiry.overflow ? .max : expiry.partialValue),"#
      + #""auth_time":1800000000,"firebase":{"sign_in_provider":"\#(signInProvider)"},"#
      + #""serial":\#(next())}"#
    let token = [#"{"alg":"RS256","typ":"JWT"}"#, payload, uid].map { Base64URL.encode($0.utf8) }.joined(separator: ".")
    return SignInResponse(
      localId: uid, email: entry.account.email, idToken: Secret(token),
      refreshToken: Secret("refresh/\(uid)/\(entry.epoch)"), expiresIn: lifetime)
  }

  private static func uid(in signature: String) -> String {
    (try? Base64URL.decode(signature)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

/// A call that the fake provider answers.
protocol FakeCall<Response>: Call {
  var kind: ScriptedBackend.Kind { get }
  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> Response
}

extension SignUp: FakeCall {
  var kind: ScriptedBackend.Kind { .signUp }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> SignInResponse {
    let email = email?.emailForm
    var entry: FakeAccounts.Entry
    if let idToken {
      entry = try accounts.entry(of: idToken)
    } else {
      entry = accounts.made()
    }
    if let email, let other = accounts.entry(email: email), other.account.localId != entry.account.localId {
      throw AuthError(server: .emailExists, email: email)
    }
    entry.account.email = email
    entry.account.displayName = displayName ?? entry.account.displayName
    entry.password = password
    if let email { entry.hasAddress(email) }
    accounts.byID[entry.account.localId] = entry
    return accounts.tokens(for: entry)
  }
}

extension SignInWithPassword: FakeCall {
  var kind: ScriptedBackend.Kind { .signIn }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> SignInResponse {
    guard let entry = accounts.entry(email: email) else { throw AuthError(server: .emailNotFound, email: email) }
    if entry.account.disabled == true { throw AuthError(server: .userDisabled, email: email) }
    guard entry.password == password else { throw AuthError(server: .invalidPassword, email: email) }
    if let factors = entry.account.mfaInfo {
      let pending = Secret("pending:\(entry.account.localId)")
      throw .secondFactorRequired(PendingSignIn(credential: pending, factors: factors.map(\.factor)))
    }
    return accounts.tokens(for: entry)
  }
}

extension Lookup: FakeCall {
  var kind: ScriptedBackend.Kind { .lookup }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> Response {
    Response(users: [try accounts.entry(of: idToken).account])
  }
}

extension Update: FakeCall {
  var kind: ScriptedBackend.Kind { .update }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> Response {
    if let oobCode { return try accounts.apply(oobCode) }
    guard let idToken else { throw AuthError(server: .invalidIDToken) }
    var entry = try accounts.entry(of: idToken)
    if let displayName { entry.account.displayName = displayName }
    if let photoUrl { entry.account.photoUrl = photoUrl }
    if deleteAttribute?.contains(.displayName) == true { entry.account.displayName = nil }
    if deleteAttribute?.contains(.photoURL) == true { entry.account.photoUrl = nil }
    var response = Response(localId: entry.account.localId)
    if deleteProvider?.contains("password") == true {
      entry.password = nil
    }
    if let gone = deleteProvider, let ways = entry.account.providerUserInfo {
      let rest = ways.filter { !gone.contains($0.providerId) }
      entry.account.providerUserInfo = rest.isEmpty ? nil : rest
      if gone.contains("phone") { entry.account.phoneNumber = nil }
    }
    if let email {
      if accounts.entry(email: email) != nil { throw AuthError(server: .emailExists, email: email) }
      entry.hasAddress(email.emailForm)
    }
    if password != nil || email != nil {
      entry.password = password ?? entry.password
      entry.epoch += 1
      let tokens = accounts.tokens(for: entry)
      response.idToken = tokens.idToken
      response.refreshToken = tokens.refreshToken
      response.expiresIn = tokens.expiresIn
    }
    accounts.byID[entry.account.localId] = entry
    return response
  }
}

extension Delete: FakeCall {
  var kind: ScriptedBackend.Kind { .delete }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> Response {
    accounts.byID[try accounts.entry(of: idToken).account.localId] = nil
    return Response()
  }
}

extension ExchangeRefreshToken: FakeCall {
  var kind: ScriptedBackend.Kind { .refresh }

  func answer(_ accounts: inout FakeAccounts) throws(AuthError) -> Response {
    let entry = try accounts.entry(ofRefresh: refreshToken)
    let tokens = accounts.tokens(for: entry)
    return Response(
      idToken: tokens.idToken, refreshToken: tokens.refreshToken, expiresIn: accounts.lifetime,
      userId: tokens.localId)
  }
}
