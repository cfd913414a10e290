import GatehouseBase
import IdentityToolkit

extension Lookup: LocalCall {
  func answer(by provider: Provider) throws(AuthError) -> Response {
    let bearer = try provider.bearer(of: idToken, at: try provider.now())
    return Response(users: [Account(try provider.database.read(bearer.account))])
  }
}

extension Account {
  /// An account as the protocol shows it; what does not apply is left out.
  init(_ stored: StoredAccount) {
    self.init(localId: stored.uid)
    email = stored.email
    emailVerified = stored.email == nil ? nil : stored.emailVerified
    displayName = stored.displayName
    photoUrl = stored.photoURL
    disabled = stored.disabled ? true : nil
    createdAt = DecimalString(stored.createdAt)
    lastLoginAt = DecimalString(stored.lastLoginAt)
    validSince = DecimalString(stored.validSince)
    guard stored.password != nil else { return }
    var info = ProviderUserInfo(providerId: Session.byPassword)
    info.rawId = stored.email
    info.federatedId = stored.email
    info.email = stored.email
    info.displayName = stored.displayName
    info.photoUrl = stored.photoURL
    providerUserInfo = [info]
  }
}
