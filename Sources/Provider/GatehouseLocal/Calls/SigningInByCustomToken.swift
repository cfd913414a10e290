import GRDB
import GatehouseBase
import GatehouseJOSE
import IdentityToolkit

extension SignInWithCustomToken: LocalCall {
  var authority: Authority { .stranger }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }

  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    // The steps have recorded a sign-in, because they know who has signed the token.
    guard case .failure(let error) = outcome else { return [] }
    return AuditEvent.refusal(error, "custom", at: now)
  }

  /// Signs in the user that a custom token names; creates the account if there is none.
  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let (customToken, now) = (token, try provider.now())
    guard !customToken.revealed.isEmpty else { throw AuthError(server: .missingCustomToken) }
    let (custom, signer) =
      provider.options.acceptsUnverifiedCustomTokens
      ? (try CustomToken(unverified: customToken), .emulator)
      : try verifiedCustomToken(by: provider, customToken, at: now)
    guard tenant.isExactly(custom.tenantID ?? "") else { throw AuthError(server: .tenantIDMismatch) }
    let token = try RefreshToken()
    let (session, isNewUser) = try provider.database.write { db in
      let existing = try StoredAccount.find(uid: custom.uid, in: db)
      var account = existing ?? StoredAccount(uid: custom.uid, of: tenant, at: now)
      try account.requireTenant(tenant)
      try account.requireEnabled()
      account.customAuth = true
      account.lastLoginAt = now.milliseconds
      try account.save(db)
      let session = try Session(
        beginning: token, of: account, by: Session.byCustomToken, claims: custom.claims, at: now, in: db)
      return (session, existing == nil)
    }
    let idToken = try provider.sessions.idToken(of: session, at: now)
    var event = AuditEvent(.signIn, idToken, "custom", at: now)
    event.show(signer)
    provider.note([event], at: now)
    // Anyone can push sign-ins out of the log, and so this one is counted beside the administrators' calls too.
    provider.count(.init(kind: .callsMade, credential: signer, call: .call(Self.self), reason: nil))
    return Response(
      idToken: idToken, refreshToken: session.refreshToken.secret, expiresIn: provider.options.tokenLifetime,
      isNewUser: isNewUser)
  }

  /// Returns the contents of a custom token that this provider or one of its service accounts has signed, and the
  /// signer.
  private func verifiedCustomToken(
    by provider: Provider, _ token: Secret, at now: Moment
  ) throws(AuthError) -> (CustomToken, AdministratorCredential) {
    let verified: (token: VerifiedToken, signer: AdministratorCredential)?
    do throws(AuthError) {
      verified = try provider.serviceAccounts.signer(named: token).map { signer throws(AuthError) in
        let policy = CustomToken.policy(ofServiceAccount: signer.account.email)
        return (try signer.verify(token, policy, at: now), signer.credential)
      }
    } catch { throw CustomToken.refusal(error) }
    guard let verified else {
      let own = try provider.sessions.keys.customToken(token, at: now)
      return (own, .provider(keyID: (try? UnverifiedToken(token.revealed))?.header.keyID))
    }
    return (try CustomToken(verified.token), verified.signer)
  }
}
