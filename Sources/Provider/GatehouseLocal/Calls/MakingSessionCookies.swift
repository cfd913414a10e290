import GatehouseBase
import IdentityToolkit

extension CreateSessionCookie: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let lifetime = Duration.seconds(validDuration?.value ?? 1_209_600)
    return Response(sessionCookie: Secret(try provider.cookies.make(of: idToken, lifetime: lifetime, in: tenant)))
  }
}
