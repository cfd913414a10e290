import GatehouseBase
import IdentityToolkit

extension UpdateAccount: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> {
    password == nil ? .plain(.changing, answer) : .hashingForAdministrator(answer)
  }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    var edit = AccountEdit()
    edit.email = email
    edit.isEmailVerified = emailVerified
    edit.password = password
    edit.displayName = deleteAttribute?.contains(.displayName) == true ? "" : displayName
    edit.photoURL = deleteAttribute?.contains(.photoURL) == true ? "" : photoUrl
    edit.phoneNumber = phoneNumber
    edit.isDisabled = disableUser
    edit.validSince = validSince?.value
    edit.removedMethods = (deleteProvider ?? []).exactly
    edit.removedAttributes = Set(deleteAttribute ?? [])
    edit.identity = linkProviderUserInfo
    edit.factors = mfa.map { ($0.enrollments ?? []).map(EnrolledPhone.init) }
    if let text = customAttributes {
      edit.claims = try JSONObject(claims: text)
    }
    let record = try provider.administration.update(
      try provider.administration.name(of: self.localId, in: tenant), edit)
    var response = Response(localId: record.uid)
    response.email = record.email
    response.displayName = record.displayName
    response.photoUrl = record.photoURL
    return response
  }
}
