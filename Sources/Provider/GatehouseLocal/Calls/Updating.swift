import GRDB
import GatehouseBase
import IdentityToolkit

extension Update: LocalCall {
  func answer(by provider: Provider) throws(AuthError) -> Response { try provider.update(self) }
}

extension Provider {
  /// Changes an account. A new password or another address ends its sessions and begins one, whose tokens are in the
  /// answer.
  fileprivate func update(_ call: Update) throws(AuthError) -> Update.Response {
    let now = try now()
    let bearer = try bearer(of: call.idToken, at: now)
    var change = try AccountChange(call)
    let token = try RefreshToken()
    // Asked here so that what will be refused costs no hash, and again where the answer counts.
    _ = try database.read { db in try change.applied(to: try bearer.account(in: db), in: db) }
    if let password = call.password { change.hash = try hash(try PasswordRules.bytes(new: password)) }
    let (account, session) = try database.write { db in
      let old = try bearer.account(in: db)
      var account = try change.applied(to: old, in: db)
      guard change.endsSessions(of: old) else {
        try account.update(db)
        return (account, Session?.none)
      }
      try account.revokeSessions(at: now, in: db)
      try account.update(db)
      guard call.returnSecureToken else { return (account, nil) }
      let provider = account.password == nil ? bearer.provider : Session.byPassword
      return (account, try Session(beginning: token, of: account, by: provider, at: now, in: db))
    }
    return try response(account, session, at: now)
  }

  private func response(
    _ account: StoredAccount, _ session: Session?, at now: Moment
  ) throws(AuthError) -> Update.Response {
    var response = Update.Response(localId: account.uid)
    response.email = account.email
    response.displayName = account.displayName
    response.photoUrl = account.photoURL
    if let session {
      response.idToken = try keys.idToken(of: session, options, at: now)
      response.refreshToken = session.refreshToken.secret
      response.expiresIn = DecimalString(secondsOf: options.tokenLifetime)
    }
    return response
  }
}

/// What an update changes, checked as far as that needs no database.
private struct AccountChange: Sendable {
  private let email: EmailAddress?
  private let displayName: String??
  private let photoURL: String??
  private let setsPassword: Bool
  /// The new password's, once that has been hashed.
  var hash: String?

  init(_ call: Update) throws(AuthError) {
    email = try call.email.map { text throws(AuthError) in try EmailAddress(text) }
    displayName = try Self.value(.displayName, call.displayName, emptied: call.empties(.displayName))
    photoURL = try Self.value(.photoURL, call.photoUrl, emptied: call.empties(.photoURL))
    setsPassword = call.password != nil
    if let password = call.password { _ = try PasswordRules.bytes(new: password) }
  }

  /// The account with the change made. Refuses an address that another account has, and half of a password sign-in.
  func applied(to account: StoredAccount, in db: Database) throws -> StoredAccount {
    var account = account
    if let email, !email.belongs(to: account) {
      try email.requireHonest()
      try StoredAccount.requireFree(email, in: db)
      account.email = email.text
      account.emailVerified = false
    }
    if setsPassword, account.email == nil { throw AuthError(server: "MISSING_EMAIL") }
    if email != nil, account.password == nil, !setsPassword { throw AuthError(server: "MISSING_PASSWORD") }
    account.password = hash ?? account.password
    if let displayName { account.displayName = displayName }
    if let photoURL { account.photoURL = photoURL }
    return account
  }

  /// Whether the change is of what an account signs in with.
  func endsSessions(of account: StoredAccount) -> Bool {
    hash != nil || email.map { !$0.belongs(to: account) } ?? false
  }

  /// `nil` for no change, a `nil` inside for an empty field.
  private static func value(_ field: ProfileField, _ text: String?, emptied: Bool) throws(AuthError) -> String?? {
    if emptied { return .some(nil) }
    guard let text else { return nil }
    return .some(try field.checked(text))
  }
}

extension Update {
  fileprivate func empties(_ attribute: Attribute) -> Bool { deleteAttribute?.contains(attribute) ?? false }
}
