import GRDB
import GatehouseBase
import IdentityToolkit

extension ExchangeRefreshToken: LocalCall {
  var authority: Authority { .session }
  func steps(_ options: LocalOptions) -> CallSteps<Response> {
    options.rotatesRefreshTokens ? .grouped(rotate) : .plain(.reading, prolong)
  }

  /// A refresh is not recorded. A token that is used twice is recorded: it was stolen, or an answer was lost.
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    guard case .failure(let error) = outcome, error.isReuse else { return [] }
    return [AuditEvent(.refreshTokenReused, at: now)]
  }

  private func prolong(by provider: Provider) throws(AuthError) -> Response {
    let sent = try sentToken(), now = try provider.now()
    return try response(try provider.sessions.prolonged(sent, in: tenantId, at: now), by: provider, at: now)
  }

  private func rotate(by provider: Provider, in db: Database) throws -> Result<CallSteps<Response>.Finish, AuthError> {
    let sent = try sentToken(), now = try provider.now()
    return try provider.sessions.rotated(sent, in: tenantId, at: now, in: db).map { session in
      // Named, because the compiler crashes at a closure in a closure here.
      let finish: CallSteps<Response>.Finish = { provider throws(AuthError) in
        Answer(try response(session, by: provider, at: now))
      }
      return finish
    }
  }

  /// Returns the token that was sent; refuses a grant type that cannot be exchanged.
  private func sentToken() throws(AuthError) -> RefreshToken {
    guard !grantType.isEmpty else { throw AuthError(server: .missingGrantType) }
    guard grantType.isExactly("refresh_token") else { throw AuthError(server: .invalidGrantType) }
    return try RefreshToken(sent: refreshToken)
  }

  private func response(_ session: Session, by provider: Provider, at now: Moment) throws(AuthError) -> Response {
    Response(
      idToken: try provider.sessions.idToken(of: session, at: now),
      refreshToken: session.refreshToken.secret, expiresIn: provider.options.tokenLifetime,
      userId: session.account.uid)
  }
}
