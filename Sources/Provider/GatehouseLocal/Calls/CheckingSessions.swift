import GRDB
import GatehouseBase
import IdentityToolkit

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
