import GRDB
import GatehouseBase
import GatehouseJOSE
import IdentityToolkit

extension SignInWithCustomToken: LocalCall {
  var authority: Authority { .stranger }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }

  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    switch outcome {
    case .success(let answer): [AuditEvent(.signIn, answer.idToken, "custom", at: now)]
    case .failure(let error): AuditEvent.refusal(error, "custom", at: now)
    }
  }

  /// Signs in the user that a custom token names; creates the account if there is none.
  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let (customToken, now) = (token, try provider.now())
    guard !customToken.revealed.isEmpty else { throw AuthError(server: .missingCustomToken) }
    let custom =
      provider.options.acceptsUnverifiedCustomTokens
      ? try CustomToken(unverified: customToken) : try verifiedCustomToken(by: provider, customToken, at: now)
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
    return Response(
      idToken: try provider.sessions.idToken(of: session, at: now), refreshToken: session.refreshToken.secret,
      expiresIn: provider.options.tokenLifetime, isNewUser: isNewUser)
  }

  /// Returns the contents of a custom token that this provider or one of its service accounts has signed.
  private func verifiedCustomToken(by provider: Provider, _ token: Secret, at now: Moment) throws(AuthError)
    -> CustomToken
  {
    let verified: VerifiedToken?
    do throws(AuthError) {
      verified = try provider.serviceAccounts.signer(named: token).map { signer throws(AuthError) in
        try signer.verify(token, CustomToken.policy(ofServiceAccount: signer.account.email), at: now)
      }
    } catch { throw CustomToken.refusal(error) }
    guard let verified else { return try provider.sessions.keys.customToken(token, at: now) }
    return try CustomToken(verified)
  }
}
