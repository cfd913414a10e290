import GRDB
import GatehouseBase
import IdentityToolkit

extension RevokeSessions: LocalCall {
  var authority: Authority { .user }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }

  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    guard case .success = outcome else { return [] }
    return [AuditEvent(.sessionsRevoked, idToken, sessionId == nil ? "all" : "one", at: now)]
  }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let now = try provider.now()
    let bearer = try provider.sessions.bearer(of: idToken, in: tenantId, at: now)
    try provider.database.write { db in
      var account = try bearer.account(in: db)
      if let sessionId {
        try StoredRefreshToken.revoke(session: sessionId, of: account.uid, in: db)
      } else {
        try account.revokeSessions(at: now, in: db)
        try account.update(db)
      }
    }
    return Response()
  }
}
