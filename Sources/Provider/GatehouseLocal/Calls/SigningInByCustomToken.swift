import GRDB
import GatehouseBase
import GatehouseJOSE
import IdentityToolkit

extension SignInWithCustomToken: LocalCall {
  func answer(by provider: Provider) throws(AuthError) -> Response {
    try provider.signIn(customToken: token, of: tenant)
  }
}

extension Provider {
  /// Signs in the user that a custom token names; creates the account if there is none.
  fileprivate func signIn(
    customToken: Secret, of tenant: String
  ) throws(AuthError) -> SignInWithCustomToken.Response {
    let now = try now()
    guard !customToken.revealed.isEmpty else { throw AuthError(server: .missingCustomToken) }
    let custom =
      options.acceptsUnverifiedCustomTokens
      ? try CustomToken(unverified: customToken) : try verifiedCustomToken(customToken, at: now)
    guard tenant.isExactly(custom.tenantID ?? "") else { throw AuthError(server: .tenantIDMismatch) }
    let token = try RefreshToken()
    let (session, isNewUser) = try database.write { db in
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
    return SignInWithCustomToken.Response(
      idToken: try keys.idToken(of: session, options, at: now), refreshToken: session.refreshToken.secret,
      expiresIn: options.tokenLifetime, isNewUser: isNewUser)
  }

  /// Returns the contents of a custom token that this provider or one of its service accounts has signed.
  private func verifiedCustomToken(_ token: Secret, at now: Moment) throws(AuthError) -> CustomToken {
    let verified: VerifiedToken?
    do throws(AuthError) {
      verified = try serviceAccount(thatSigned: token).map { signer throws(AuthError) in
        try signer.verify(token, CustomToken.policy(ofServiceAccount: signer.account.email), at: now)
      }
    } catch { throw CustomToken.refusal(error) }
    guard let verified else { return try keys.customToken(token, at: now) }
    return try CustomToken(verified)
  }
}
