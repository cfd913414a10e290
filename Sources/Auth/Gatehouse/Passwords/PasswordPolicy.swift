import IdentityToolkit

/// A project's rules for passwords.
public struct PasswordPolicy: Sendable, Hashable {
  /// The minimum number of characters (Unicode code points).
  public let minimumLength: Int?
  /// The maximum number of characters (Unicode code points).
  public let maximumLength: Int?
  /// Whether a lowercase letter (a to z) is required.
  public let needsLowercase: Bool
  /// Whether an uppercase letter (A to Z) is required.
  public let needsUppercase: Bool
  /// Whether a digit (0 to 9) is required.
  public let needsDigit: Bool
  /// Whether one of `specialCharacters` is required.
  public let needsSpecialCharacter: Bool
  /// The characters that count as special.
  public let specialCharacters: Set<Character>
  /// Whether the provider refuses a password that breaks the rules.
  public let isEnforced: Bool

  init(_ response: GetPasswordPolicy.Response) {
    let strength = response.customStrengthOptions
    minimumLength = strength.minPasswordLength
    maximumLength = strength.maxPasswordLength
    needsLowercase = strength.containsLowercaseCharacter ?? false
    needsUppercase = strength.containsUppercaseCharacter ?? false
    needsDigit = strength.containsNumericCharacter ?? false
    needsSpecialCharacter = strength.containsNonAlphanumericCharacter ?? false
    specialCharacters = Set((response.allowedNonAlphanumericCharacters ?? []).flatMap { Array($0) })
    isEnforced = response.enforcementState.map { $0.isExactly("ENFORCE") } ?? true
  }

  /// Checks a password against the rules. The provider decides in the end: it may also refuse leaked passwords, for
  /// example.
  public func validate(_ password: String) -> PasswordValidation {
    let count = password.unicodeScalars.count
    func has(_ range: ClosedRange<Character>) -> Bool { password.contains { range.contains($0) && $0.isASCII } }
    return PasswordValidation(
      policy: self, meetsMinimumLength: minimumLength.map { count >= $0 } ?? true,
      meetsMaximumLength: maximumLength.map { count <= $0 } ?? true,
      containsLowercase: !needsLowercase || has("a"..."z"), containsUppercase: !needsUppercase || has("A"..."Z"),
      containsDigit: !needsDigit || has("0"..."9"),
      containsSpecialCharacter: !needsSpecialCharacter || password.contains(where: specialCharacters.contains))
  }
}

/// The result of checking a password against a project's rules.
public struct PasswordValidation: Sendable, Hashable {
  /// The rules.
  public let policy: PasswordPolicy
  /// Whether the password is long enough.
  public let meetsMinimumLength: Bool
  /// Whether the password is short enough.
  public let meetsMaximumLength: Bool
  /// Whether the password has a lowercase letter, or needs none.
  public let containsLowercase: Bool
  /// Whether the password has an uppercase letter, or needs none.
  public let containsUppercase: Bool
  /// Whether the password has a digit, or needs none.
  public let containsDigit: Bool
  /// Whether the password has a special character, or needs none.
  public let containsSpecialCharacter: Bool

  /// Whether the password meets all rules.
  public var isValid: Bool {
    meetsMinimumLength && meetsMaximumLength && containsLowercase && containsUppercase && containsDigit
      && containsSpecialCharacter
  }
}
