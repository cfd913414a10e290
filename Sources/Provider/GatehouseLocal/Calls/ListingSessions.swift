import GRDB
import GatehouseBase
import IdentityToolkit

extension ListSessions: LocalCall {
  var authority: Authority { .user }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.reading, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let bearer = try provider.sessions.bearer(of: idToken, in: tenantId, at: try provider.now())
    let sessions = try provider.database.read { db in
      let account = try bearer.account(in: db)
      return try StoredRefreshToken.live(of: account, in: db).map { row in
        var session = ListSessions.Session(
          sessionId: row.session, signInProvider: row.provider, authTime: DecimalString(row.authTime))
        session.signInSecondFactor = row.factor
        session.isCurrent = bearer.session.isExactly(row.session) ? true : nil
        return session
      }
    }
    return Response(sessions: sessions)
  }
}
