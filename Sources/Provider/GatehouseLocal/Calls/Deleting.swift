import GRDB
import GatehouseBase
import IdentityToolkit

extension Delete: LocalCall {
  var authority: Authority { .user }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }

  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    guard case .success = outcome else { return [] }
    return [AuditEvent(.accountDeleted, idToken, at: now)]
  }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let bearer = try provider.sessions.bearer(of: idToken, in: tenantId, at: try provider.now())
    try provider.database.write { db in
      let account = try bearer.account(in: db)
      try bearer.requireRecentSignIn(to: account, provider.options, in: db)
      try account.remove(in: db)
    }
    return Response()
  }
}
