import Gatehouse
import GatehouseBase
import GatehouseConfiguration
import GatehouseLocal

/// The rules for a new password, as far as they are known before it is sent.
struct NewPasswordRules: Sendable {
  fileprivate let faults: @Sendable (Secret) -> [String]

  /// Refuses a password that breaks the rules, before a person types it once more.
  ///
  /// - Throws: `.weakPassword`, with the rules that the password breaks.
  func require(_ password: Secret) throws(AuthError) {
    let faults = faults(password)
    guard faults.isEmpty else {
      throw AuthError(.weakPassword, "the password needs \(faults.joined(separator: ", ")); nothing was done")
    }
  }
}

extension Home {
  /// Fetches the rules for a new password before a person is asked for it: between two prompts nothing may be waited
  /// for, because the terminal shows what is typed then. Rules that cannot be found out are left to the provider, which
  /// decides in the end.
  func newPasswordRules(tenantID: String? = nil) async -> NewPasswordRules {
    if server == nil, !HomeView.hasProvider(self) {
      let minimum = (try? await settingsInForce().options.passwordRequirements.minimumLength) ?? 0
      return NewPasswordRules { password in
        password.revealed.unicodeScalars.count < minimum ? ["at least \(minimum) characters"] : []
      }
    }
    let policy = try? await withSession { auth throws(AuthError) in
      auth.tenantID = tenantID
      return try await typed { try await auth.validatePassword("", timeout: .seconds(10)).policy }
    }
    guard let policy, policy.isEnforced else { return NewPasswordRules { _ in [] } }
    return NewPasswordRules { password in policy.validate(password.revealed).faults }
  }
}

extension PasswordValidation {
  /// The rules that the password breaks, for people to read.
  fileprivate var faults: [String] {
    var faults: [String] = []
    if !meetsMinimumLength { faults.append("at least \(policy.minimumLength ?? 0) characters") }
    if !meetsMaximumLength { faults.append("at most \(policy.maximumLength ?? 0) characters") }
    if !containsLowercase { faults.append("a lower-case letter") }
    if !containsUppercase { faults.append("an upper-case letter") }
    if !containsDigit { faults.append("a digit") }
    if !containsSpecialCharacter { faults.append("a special character") }
    return faults
  }
}
