import IdentityToolkit

/// A project's rules for passwords.
public struct PasswordPolicy: Sendable, Hashable {
  /// The fewest characters.
  public let minimumLength: Int?
  /// The most characters.
  public let maximumLength: Int?
  /// Whether a lower-case letter (a to z) is needed.
  public let needsLowercase: Bool
  /// Whether an upper-case letter (A to Z) is needed.
  public let needsUppercase: Bool
  /// Whether a digit (0 to 9) is needed.
  public let needsDigit: Bool
  /// Whether one of `specialCharacters` is needed.
  public let needsSpecialCharacter: Bool
  /// What counts as special.
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

  /// Which rules a password keeps. The provider has the last word: it may know leaked passwords, for example.
  public func validate(_ password: String) -> PasswordValidation {
    let count = password.count
    func has(_ range: ClosedRange<Character>) -> Bool { password.contains { range.contains($0) && $0.isASCII } }
    return PasswordValidation(
      policy: self, meetsMinimumLength: minimumLength.map { count >= $0 } ?? true,
      meetsMaximumLength: maximumLength.map { count <= $0 } ?? true,
      containsLowercase: !needsLowercase || has("a"..."z"), containsUppercase: !needsUppercase || has("A"..."Z"),
      containsDigit: !needsDigit || has("0"..."9"),
      containsSpecialCharacter: !needsSpecialCharacter || password.contains(where: specialCharacters.contains))
  }
}

/// Which of a project's rules a password keeps.
public struct PasswordValidation: Sendable, Hashable {
  /// The rules.
  public let policy: PasswordPolicy
  /// Whether it is long enough.
  public let meetsMinimumLength: Bool
  /// Whether it is short enough.
  public let meetsMaximumLength: Bool
  /// Whether it has a lower-case letter, where one is needed.
  public let containsLowercase: Bool
  /// Whether it has an upper-case letter, where one is needed.
  public let containsUppercase: Bool
  /// Whether it has a digit, where one is needed.
  public let containsDigit: Bool
  /// Whether it has a special character, where one is needed.
  public let containsSpecialCharacter: Bool

  /// Whether it keeps all rules.
  public var isValid: Bool {
    meetsMinimumLength && meetsMaximumLength && containsLowercase && containsUppercase && containsDigit
      && containsSpecialCharacter
  }
}
