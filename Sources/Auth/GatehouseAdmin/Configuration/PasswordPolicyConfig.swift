import GatehouseBase

/// The policy for new passwords.
///
/// Source: https://firebase.google.com/docs/reference/admin/node/firebase-admin.auth.passwordpolicyconfig
public struct PasswordPolicyConfig: Sendable, Hashable {
  /// The state of a policy.
  public enum EnforcementState: String, Sendable, Hashable {
    /// Passwords that do not meet the policy are refused.
    case enforce = "ENFORCE"
    /// The policy has no effect.
    case off = "OFF"
  }

  /// The requirements of a policy.
  public struct CustomStrengthOptions: Sendable, Hashable {
    /// Whether an uppercase letter is required.
    public var requireUppercase = false
    /// Whether a lowercase letter is required.
    public var requireLowercase = false
    /// Whether a character that is neither a letter nor a digit is required.
    public var requireNonAlphanumeric = false
    /// Whether a digit is required.
    public var requireNumeric = false
    /// The minimum length, 6 to 30.
    public var minLength = 6
    /// The maximum length, at most 4096.
    public var maxLength = 4096

    /// Makes the requirement of at least six characters.
    public init() {}
  }

  /// Whether the policy is enforced.
  public var enforcementState: EnforcementState
  /// Whether a user whose password does not meet the policy must change it to sign in. Gatehouse's server stores this
  /// value, but does not apply it.
  public var forceUpgradeOnSignin = false
  /// The requirements of the policy.
  public var constraints: CustomStrengthOptions

  /// Makes a policy.
  ///
  /// - Parameters:
  ///   - enforcementState: whether the policy is enforced.
  ///   - constraints: the requirements.
  public init(
    enforcementState: EnforcementState, constraints: CustomStrengthOptions = CustomStrengthOptions()
  ) {
    self.enforcementState = enforcementState
    self.constraints = constraints
  }

  init?(_ json: JSONValue?) {
    guard let json = json?.object,
      let state = json["passwordPolicyEnforcementState"]?.string.flatMap(EnforcementState.init)
    else { return nil }
    enforcementState = state
    forceUpgradeOnSignin = json["forceUpgradeOnSignin"]?.bool ?? false
    var constraints = CustomStrengthOptions()
    if let rules = json["passwordPolicyVersions"]?.array?.last?["customStrengthOptions"] {
      func length(_ name: String, _ other: Int) -> Int { rules[name]?.integer.flatMap { Int(exactly: $0) } ?? other }
      constraints.requireUppercase = rules["containsUppercaseCharacter"]?.bool ?? false
      constraints.requireLowercase = rules["containsLowercaseCharacter"]?.bool ?? false
      constraints.requireNonAlphanumeric = rules["containsNonAlphanumericCharacter"]?.bool ?? false
      constraints.requireNumeric = rules["containsNumericCharacter"]?.bool ?? false
      constraints.minLength = length("minPasswordLength", constraints.minLength)
      constraints.maxLength = length("maxPasswordLength", constraints.maxLength)
    }
    self.constraints = constraints
  }

  /// The policy in the protocol's form.
  func json() throws(AuthError) -> JSONValue {
    guard (6...30).contains(constraints.minLength),
      (constraints.minLength...4096).contains(constraints.maxLength)
    else { throw AuthError(.invalidArgument, "minLength must be 6 to 30, and maxLength from there to 4096") }
    let rules: JSONObject = [
      "containsUppercaseCharacter": .bool(constraints.requireUppercase),
      "containsLowercaseCharacter": .bool(constraints.requireLowercase),
      "containsNonAlphanumericCharacter": .bool(constraints.requireNonAlphanumeric),
      "containsNumericCharacter": .bool(constraints.requireNumeric),
      "minPasswordLength": .number(JSONNumber(constraints.minLength)),
      "maxPasswordLength": .number(JSONNumber(constraints.maxLength)),
    ]
    return [
      "passwordPolicyEnforcementState": .string(enforcementState.rawValue),
      "forceUpgradeOnSignin": .bool(forceUpgradeOnSignin),
      "passwordPolicyVersions": [["customStrengthOptions": .object(rules)]],
    ]
  }
}
