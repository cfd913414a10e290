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

extension CheckSession: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.reading, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let isLive = try provider.database.read { db in
      guard let account = try StoredAccount.find(uid: localId, in: db), account.tenant.isExactly(tenant) else {
        throw AuthError(server: .userNotFound)
      }
      return try StoredRefreshToken.isLive(session: sessionId, of: account, in: db)
    }
    return Response(isOver: !isLive)
  }
}

extension RevokeToken: LocalCall {
  var authority: Authority { .user }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  /// Always refused: the provider keeps no tokens of identity providers, and has no secret to exchange a code with.
  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let bearer = try provider.sessions.bearer(of: idToken, in: tenantId, at: try provider.now())
    _ = try provider.database.read { db in try bearer.account(in: db) }
    throw AuthError(server: .operationNotAllowed, "this provider keeps no tokens of \(providerId.printable())")
  }
}
