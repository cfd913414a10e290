import GatehouseBase

/// The settings that an administrator has configured for the project over the protocol, as far as the provider supports
/// them.
///
/// They override the provider's own options; `nil` for an option that is not overridden.
struct ProjectConfiguration: Sendable, Hashable {
  /// The identifier of the document.
  static let id = "config"

  private let enumerationProtection: Bool?
  private let passwordRequirements: PasswordRequirements?
  /// The second factors that the project's users may enroll.
  let secondFactors: SecondFactorRules
  /// The regions whose phones receive texts.
  let textRegions: TextRegions

  /// Makes a configuration that overrides nothing.
  init() {
    enumerationProtection = nil
    passwordRequirements = nil
    secondFactors = SecondFactorRules()
    textRegions = TextRegions()
  }

  /// Reads a document. Members that the provider does not support are ignored here.
  ///
  /// - Throws: `INVALID_CONFIG` for a setting that the provider does not support.
  init(_ document: JSONObject) throws(AuthError) {
    if document["signIn"]?["allowDuplicateEmails"]?.bool == true {
      throw Self.invalid("signIn.allowDuplicateEmails cannot be true: an address has one account here")
    }
    enumerationProtection = document["emailPrivacyConfig"]?.object.map {
      $0["enableImprovedEmailPrivacy"]?.bool ?? false
    }
    passwordRequirements = try document["passwordPolicyConfig"]?.object.flatMap(Self.requirements)
    secondFactors = SecondFactorRules(document["mfa"])
    textRegions = TextRegions(document["smsRegionConfig"])
  }

  /// Returns the options in effect.
  func applied(to options: LocalOptions) -> LocalOptions {
    var options = options
    options.enumerationProtection = enumerationProtection ?? options.enumerationProtection
    options.passwordRequirements = passwordRequirements ?? options.passwordRequirements
    return options
  }

  /// Returns the last version of a policy that is enforced; `nil` if it is not enforced.
  static func requirements(of policy: JSONObject) throws(AuthError) -> PasswordRequirements? {
    guard policy["passwordPolicyEnforcementState"]?.string == "ENFORCE" else { return nil }
    let rules = policy["passwordPolicyVersions"]?.array?.last?["customStrengthOptions"]
    var requirements = PasswordRequirements()
    requirements.holdAtSignIn = policy["forceUpgradeOnSignin"]?.bool ?? false
    func length(_ name: String, _ allowed: ClosedRange<Int64>, _ other: Int) throws(AuthError) -> Int {
      guard let value = rules?[name] else { return other }
      guard let length = value.integer, allowed.contains(length) else {
        throw invalid("\(name) must be \(allowed.lowerBound) to \(allowed.upperBound)")
      }
      return Int(length)
    }
    let most = Int64(PasswordRules.maximum)
    requirements.minimumLength = try length("minPasswordLength", 6...30, requirements.minimumLength)
    requirements.maximumLength = try length(
      "maxPasswordLength", Int64(requirements.minimumLength)...most, PasswordRules.maximum)
    requirements.needsLowercase = rules?["containsLowercaseCharacter"]?.bool ?? false
    requirements.needsUppercase = rules?["containsUppercaseCharacter"]?.bool ?? false
    requirements.needsDigit = rules?["containsNumericCharacter"]?.bool ?? false
    requirements.needsSpecialCharacter = rules?["containsNonAlphanumericCharacter"]?.bool ?? false
    return requirements
  }

  private static func invalid(_ advice: String) -> AuthError {
    AuthError(.invalidArgument, advice, server: .invalidConfig)
  }
}
