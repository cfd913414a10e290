import GatehouseBase
import IdentityToolkit

extension Lookup: LocalCall {
  func answer(by provider: Provider) throws(AuthError) -> Response {
    let bearer = try provider.bearer(of: idToken, at: try provider.now())
    let users = try provider.database.read { db in
      let account = try bearer.account(in: db)
      return [Account(account, try StoredSecondFactor.all(of: account.uid, in: db))]
    }
    return Response(users: users)
  }
}

extension Account {
  /// An account as the protocol shows it; what does not apply is left out.
  init(_ stored: StoredAccount, _ factors: [StoredSecondFactor]) {
    self.init(localId: stored.uid)
    email = stored.email
    emailVerified = stored.email == nil ? nil : stored.emailVerified
    displayName = stored.displayName
    photoUrl = stored.photoURL
    mfaInfo = factors.isEmpty ? nil : factors.map { MfaEnrollment($0.info) }
    customAuth = stored.customAuth ? true : nil
    disabled = stored.disabled ? true : nil
    createdAt = DecimalString(stored.createdAt)
    lastLoginAt = DecimalString(stored.lastLoginAt)
    validSince = DecimalString(stored.validSince)
    guard !stored.signInMethods.isEmpty else { return }
    var info = ProviderUserInfo(providerId: Session.byPassword)
    info.rawId = stored.email
    info.federatedId = stored.email
    info.email = stored.email
    info.displayName = stored.displayName
    info.photoUrl = stored.photoURL
    providerUserInfo = [info]
  }
}
