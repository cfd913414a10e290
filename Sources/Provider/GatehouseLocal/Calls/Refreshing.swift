import GRDB
import GatehouseBase
import IdentityToolkit

extension ExchangeRefreshToken: LocalCall {
  func answer(by provider: Provider) throws(AuthError) -> Response {
    guard !grantType.isEmpty else { throw AuthError(server: "MISSING_GRANT_TYPE") }
    guard grantType.isExactly("refresh_token") else { throw AuthError(server: "INVALID_GRANT_TYPE") }
    return try provider.refresh(try RefreshToken(sent: refreshToken))
  }
}

extension Provider {
  fileprivate func refresh(_ sent: RefreshToken) throws(AuthError) -> ExchangeRefreshToken.Response {
    let now = try now()
    let session = options.rotatesRefreshTokens ? try rotated(sent, at: now) : try prolonged(sent, at: now)
    return ExchangeRefreshToken.Response(
      idToken: try keys.idToken(of: session, options, at: now), refreshToken: session.refreshToken.secret,
      expiresIn: options.tokenLifetime, userId: session.account.uid)
  }

  /// The session of a refresh token that stays as it is.
  private func prolonged(_ sent: RefreshToken, at now: Moment) throws(AuthError) -> Session {
    let session = try database.read { db in
      let row = try StoredRefreshToken.require(sent, in: db)
      return try Session(prolonging: row, with: sent, in: db)
    }
    guard session.account.hasOldRefresh(at: now) else { return session }
    try database.writeTogether { [account = session.account] db in try account.noteRefresh(at: now, in: db) }
    return session
  }

  /// The session with a new refresh token, which the sent one buys once. Sent again, it ends the session.
  private func rotated(_ sent: RefreshToken, at now: Moment) throws(AuthError) -> Session {
    let next = try RefreshToken()
    let outcome = try database.writeTogether { db in
      var row = try StoredRefreshToken.require(sent, in: db)
      if row.state == .spent {
        try StoredRefreshToken.revokeAll(ofSession: row.session, in: db)
        // Returned, not thrown: the revocation must stay.
        return Result<Session, AuthError>.failure(AuthError(server: "TOKEN_EXPIRED : the refresh token was used twice"))
      }
      let session = try Session(prolonging: row, with: next, in: db)
      try row.rotate(to: next, at: now, in: db)
      if session.account.hasOldRefresh(at: now) { try session.account.noteRefresh(at: now, in: db) }
      return .success(session)
    }
    return try outcome.get()
  }
}
