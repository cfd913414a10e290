import GRDB
import GatehouseBase
import IdentityToolkit

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
