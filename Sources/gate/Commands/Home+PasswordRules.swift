import Gatehouse
import GatehouseBase
import GatehouseConfiguration
import GatehouseLocal

extension Home {
  /// Refuses a new password that breaks the provider's rules, before a person types it once more. What cannot be found
  /// out is left to the provider, which decides in the end.
  ///
  /// - Throws: `.weakPassword`, with the rules that the password breaks.
  func requireStrong(_ password: Secret, tenantID: String? = nil) async throws(AuthError) {
    var faults: [String] = []
    if server == nil, !HomeView.hasProvider(self) {
      guard let rules = try? await settingsInForce().options.passwordRequirements else { return }
      if password.revealed.unicodeScalars.count < rules.minimumLength {
        faults.append("at least \(rules.minimumLength) characters")
      }
    } else {
      let validation = try? await withSession { auth throws(AuthError) in
        auth.tenantID = tenantID
        return try await typed { try await auth.validatePassword(password.revealed, timeout: .seconds(10)) }
      }
      if let validation, validation.policy.isEnforced { faults = validation.faults }
    }
    guard faults.isEmpty else {
      throw AuthError(.weakPassword, "the password needs \(faults.joined(separator: ", ")); nothing was done")
    }
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
