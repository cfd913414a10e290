/// What a new password must have. Length is what counts; the rest is for those whom another rule binds.
public struct PasswordRequirements: Sendable, Hashable {
  /// The fewest characters (Unicode code points, as NIST SP 800-63B counts), from 6 on.
  public var minimumLength = 6
  /// The most characters; `nil` for no other limit than 4,096 bytes.
  public var maximumLength: Int?
  /// Whether a lower-case letter (a to z) is needed.
  public var needsLowercase = false
  /// Whether an upper-case letter (A to Z) is needed.
  public var needsUppercase = false
  /// Whether a digit (0 to 9) is needed.
  public var needsDigit = false
  /// Whether one of `specialCharacters` is needed.
  public var needsSpecialCharacter = false

  /// Six characters, and no more rules.
  public init() {}

  /// What counts as special: Identity Platform's list.
  public static let specialCharacters: [Character] = Array("^$*.[]{}()?\"!@#%&/\\,><':;|_~")

  /// What a password lacks, for people; empty if it lacks nothing.
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
