import GatehouseBase
import IdentityToolkit

extension GetPasswordPolicy: LocalCall {
  var authority: Authority { .stranger }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.reading, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let rules = try provider.tenants.passwordRequirements(of: tenant)
    var strength = Strength()
    strength.minPasswordLength = rules.minimumLength
    strength.maxPasswordLength = rules.maximumLength
    strength.containsLowercaseCharacter = rules.needsLowercase ? true : nil
    strength.containsUppercaseCharacter = rules.needsUppercase ? true : nil
    strength.containsNumericCharacter = rules.needsDigit ? true : nil
    strength.containsNonAlphanumericCharacter = rules.needsSpecialCharacter ? true : nil
    var response = Response(strength)
    response.allowedNonAlphanumericCharacters = PasswordRequirements.specialCharacters.map { String($0) }
    response.enforcementState = "ENFORCE"
    response.forceUpgradeOnSignin = rules.holdAtSignIn ? true : nil
    return response
  }
}
