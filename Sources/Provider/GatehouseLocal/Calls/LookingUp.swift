import GRDB
import GatehouseBase
import IdentityToolkit

extension Lookup: LocalCall {
  var authority: Authority { .user }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.reading, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let bearer = try provider.sessions.bearer(of: idToken, in: tenantId, at: try provider.now())
    if let plain = try provider.database.readOnce(bearer.plainAccount) {
      return Response(users: [Account(plain, [], [], provider.sessions.refreshes)])
    }
    let users = try provider.database.read { db in
      let account = try bearer.account(in: db)
      return [try Account(account, provider.sessions.refreshes, in: db)]
    }
    return Response(users: users)
  }
}

extension Account {
  /// Makes the protocol's form of an account, without values that do not apply.
  init(_ stored: StoredAccount, _ refreshes: RecentRefreshes? = nil, in db: Database) throws {
    self.init(
      stored, try StoredSecondFactor.all(of: stored.uid, in: db), try StoredIdentity.all(of: stored.uid, in: db),
      refreshes)
  }

  fileprivate init(
    _ stored: StoredAccount, _ factors: [StoredSecondFactor], _ identities: [StoredIdentity],
    _ refreshes: RecentRefreshes?
  ) {
    self.init(localId: stored.uid)
    tenantId = stored.tenant.isEmpty ? nil : stored.tenant
    phoneNumber = stored.phoneNumber
    email = stored.email
    emailVerified = stored.email == nil ? nil : stored.emailVerified
    displayName = stored.displayName
    photoUrl = stored.photoURL
    mfaInfo = factors.isEmpty ? nil : factors.map { MfaEnrollment($0.info(isMasked: false)) }
    customAuth = stored.customAuth ? true : nil
    disabled = stored.disabled ? true : nil
    createdAt = DecimalString(stored.createdAt)
    lastLoginAt = stored.lastLoginAt == 0 ? nil : DecimalString(stored.lastLoginAt)
    lastRefreshAt = (refreshes?.last(of: stored) ?? stored.lastRefreshAt).map { Moment(seconds: $0 / 1000).rfc3339 }
    validSince = DecimalString(stored.validSince)
    passwordUpdatedAt = stored.passwordUpdatedAt.map { Milliseconds(Double($0)) }
    customAttributes = stored.claims
    var ways = identities.map(\.info)
    if !stored.passwordMethods.isEmpty { ways.append(stored.passwordInfo) }
    if let phone = stored.phoneNumber { ways.append(.phone(phone)) }
    providerUserInfo = ways.isEmpty ? nil : ways
  }
}

extension Account.ProviderUserInfo {
  fileprivate static func phone(_ number: String) -> Self {
    var info = Self(providerId: Session.byPhone)
    info.rawId = number
    info.phoneNumber = number
    return info
  }
}

extension StoredAccount {
  fileprivate var passwordInfo: Account.ProviderUserInfo {
    var info = Account.ProviderUserInfo(providerId: Session.byPassword)
    // Clients refuse an entry without an identifier.
    info.rawId = email ?? uid
    info.federatedId = email
    info.email = email
    info.displayName = displayName
    info.photoUrl = photoURL
    return info
  }
}
