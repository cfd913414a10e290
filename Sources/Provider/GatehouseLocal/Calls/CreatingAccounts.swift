import GatehouseBase
import IdentityToolkit

extension CreateAccount: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> {
    password == nil ? .plain(.changing, answer) : .hashingForAdministrator(answer)
  }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    var draft = AccountDraft()
    draft.uid = localId
    draft.tenantID = tenantId
    draft.email = email
    draft.isEmailVerified = emailVerified ?? false
    draft.password = password
    draft.allowsPasswordAlone = true
    draft.displayName = displayName
    draft.photoURL = photoUrl
    draft.phoneNumber = phoneNumber
    draft.isDisabled = disabled ?? false
    draft.phoneFactors = (mfaInfo ?? []).map(EnrolledPhone.init)
    return Response(localId: try provider.administration.create(draft).uid)
  }
}
