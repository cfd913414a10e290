import GatehouseBase

/// The content of a column of a CSV file.
///
/// A text is any person's choice: the parts that a spreadsheet would compute are quoted. All other columns have a fixed
/// alphabet, without a formula that does anything. Their text is checked, and written as it is, because
/// `firebase auth:import` reads it.
enum UserFileColumn: Sendable {
  case text
  case flag
  /// A hash or a salt in base64.
  case hash
  /// Milliseconds since 1970.
  case time
  case phone
  /// A JSON object.
  case claims

  /// - Parameters:
  ///   - index: the index of the column, from 0.
  ///   - password: the column of the password's hash. A password of an emulator is a text, and so is its salt.
  init(at index: Int, besides password: String) {
    switch index {
    case 2, 26: self = .flag
    case 3, 4: self = ReadablePassword.isReadable(password) ? .text : .hash
    case 23, 24: self = .time
    case 25: self = .phone
    case 27: self = .claims
    default: self = .text
    }
  }

  /// Returns a value as the column has it.
  ///
  /// - Throws: `.invalidArgument` for a text that is not in the column's alphabet.
  func cell(_ value: String) throws(AuthError) -> String {
    guard !value.isEmpty else { return value }
    switch self {
    case .text: return value.withFormulaQuotes
    case .flag: return value
    case .hash:
      try Self.require(value.utf8.allSatisfy(Self.isBase64), "a password hash or its salt is not base64")
    case .time:
      try Self.require(value.utf8.allSatisfy(Self.isDigit), "a time is not a number of milliseconds since 1970")
    case .phone:
      let isNumber = value.utf8.first == UInt8(ascii: "+") && value.utf8.dropFirst().allSatisfy(Self.isDigit)
      try Self.require(isNumber, "the phone number is not + and digits")
    case .claims:
      try Self.require(value.utf8.first == UInt8(ascii: "{"), "the claims are not a JSON object")
      // A string of JSON has the semicolon, and may have it as an escape.
      return value.replacing(";", with: "\\u003b")
    }
    return value
  }

  /// Returns the value of a column's text.
  func value(_ cell: String) -> String { self == .text ? cell.withoutFormulaQuotes : cell }

  private static func require(_ isInAlphabet: Bool, _ fault: String) throws(AuthError) {
    guard isInAlphabet else { throw AuthError(.invalidArgument, "\(fault); correct the account, or export to JSON") }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

  private static func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "+"),
      UInt8(ascii: "/"), UInt8(ascii: "="):
      true
    default: isDigit(byte)
    }
  }
}
