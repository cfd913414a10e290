/// The requirements for a new password. Only the length matters for security; the other rules are for projects that
/// must enforce them.
public struct PasswordRequirements: Sendable, Hashable {
  /// The minimum number of characters (Unicode code points, as NIST SP 800-63B counts), at least 6.
  public var minimumLength = 6
  /// The maximum number of characters; `nil` for no limit other than 4,096 bytes.
  public var maximumLength: Int?
  /// Whether a lowercase letter (a to z) is required.
  public var needsLowercase = false
  /// Whether an uppercase letter (A to Z) is required.
  public var needsUppercase = false
  /// Whether a digit (0 to 9) is required.
  public var needsDigit = false
  /// Whether one of `specialCharacters` is required.
  public var needsSpecialCharacter = false

  /// Whether a sign-in with a password that does not meet the requirements is refused, too. Its user resets it.
  package var holdAtSignIn = false

  /// Makes requirements of six characters and no other rules.
  public init() {}

  /// The characters that count as special, from Identity Platform's list.
  public static let specialCharacters: [Character] = Array("^$*.[]{}()?\"!@#%&/\\,><':;|_~")

  /// Returns the requirements that a password fails, for people to read; empty if it meets all.
  func faults(of password: String) -> [String] {
    func has(_ range: ClosedRange<UInt8>) -> Bool { password.utf8.contains { range ~= $0 } }
    let special = Set(Self.specialCharacters.flatMap { String($0).utf8 })
    var faults: [String] = []
    let count = password.unicodeScalars.count
    if count < minimumLength { faults.append("at least \(minimumLength) characters") }
    if let maximumLength, count > maximumLength { faults.append("at most \(maximumLength) characters") }
    if needsLowercase, !has(UInt8(ascii: "a")...UInt8(ascii: "z")) { faults.append("a lower-case letter") }
    if needsUppercase, !has(UInt8(ascii: "A")...UInt8(ascii: "Z")) { faults.append("an upper-case letter") }
    if needsDigit, !has(UInt8(ascii: "0")...UInt8(ascii: "9")) { faults.append("a digit") }
    if needsSpecialCharacter, !password.utf8.contains(where: special.contains) { faults.append("a special character") }
    return faults
  }
}
