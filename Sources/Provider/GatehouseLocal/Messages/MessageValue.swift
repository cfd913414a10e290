import GatehouseBase

/// The value of a placeholder in a message. A template takes no other text, so each value says whose choice it is.
///
/// A mail program makes links of addresses and hosts in a text. So another person's text must not be a link in a message
/// that the provider sends (decision 153).
struct MessageValue: Sendable {
  /// The form that a message may have.
  let text: String

  /// The text for an address that must not be named.
  static let hidden = MessageValue(text: "***")

  private init(text: String) { self.text = text }

  /// A text that the provider makes: a link, a code, a time.
  static func made(_ text: String) -> Self { Self(text: text) }

  /// A text of the operator's settings.
  static func operators(_ text: String) -> Self { Self(text: text) }

  /// An address of an account. It is named to its own reader and, if the account has proved it, to others. An address
  /// of unusual characters is not named to any reader: its local part might be a link to another host.
  ///
  /// - Parameters:
  ///   - reader: the address that the message is sent to.
  ///   - isProved: whether the account has proved the address.
  static func address(_ email: String, to reader: String, isProved: Bool) -> Self {
    (isProved || email.isExactly(reader)) && email.isPlainAddress ? Self(text: email) : .hidden
  }

  /// The network address of a caller. A program that is no server may name its callers as it likes.
  static func network(_ address: String) -> Self {
    let plain = address.prefix { $0 != "%" }
    let isAddress =
      NetworkAddress(plain) != nil && plain.utf8.allSatisfy { "0123456789abcdefABCDEF:.".utf8.contains($0) }
    return isAddress ? Self(text: String(plain)) : .others(address)
  }

  /// A text of another person's choice.
  static func others(_ text: String) -> Self { Self(text: text.withoutLinks) }
}

extension String {
  /// Whether a mail program can make nothing of an address but a link to the address itself: letters, digits, `.`, `_`,
  /// `+`, `-` and apostrophes, and a domain of labels.
  fileprivate var isPlainAddress: Bool {
    let sides = split(separator: "@", omittingEmptySubsequences: false)
    guard sides.count == 2, let first = sides[0].first, !sides[0].lowercased().hasPrefix("www.") else { return false }
    let isLocalPart = sides[0].unicodeScalars.allSatisfy { $0.isOfWord || "._+-'".unicodeScalars.contains($0) }
    let labels = sides[1].split(separator: ".", omittingEmptySubsequences: false)
    return isLocalPart && first != "." && sides[0].last != "." && !sides[0].contains("..")
      && labels.allSatisfy { label in
        !label.isEmpty && label.unicodeScalars.allSatisfy { $0.isOfWord || $0 == "-" }
      }
  }

  /// The text on one line, with spaces in place of whatever would make a part of it a link: a full stop within a word,
  /// `@`, a colon before text, `//`, angle brackets. Of a number that could be called, the digits are left out. Names
  /// such as `J. Smith` stay.
  fileprivate var withoutLinks: String {
    var scalars: [Unicode.Scalar] = []
    for scalar in unicodeScalars.prefix(256) {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: scalars.append(" ")
      case .format, .unassigned, .privateUse, .surrogate: break
      default: if !scalar.properties.isDefaultIgnorableCodePoint { scalars.append(scalar) }
      }
    }
    for (index, scalar) in scalars.enumerated() {
      let before = index > 0 ? scalars[index - 1] : " "
      let after = index + 1 < scalars.count ? scalars[index + 1] : " "
      let isDecimal = before.isDigit && after.isDigit
      let isBroken =
        switch scalar {
        case "@", "\u{FE6B}", "\u{FF20}", "<", ">", "\u{3002}", "\u{FF0E}", "\u{FF61}", "\u{2024}", "\u{FE52}": true
        case ".": after.isOfWord && !isDecimal
        case ":", "\u{FF1A}", "\u{FE55}": after != " " && !isDecimal
        case "/", "\\", "\u{FF0F}": before == "/" || before == "\\" || after == "/" || after == "\\"
        default: false
        }
      if isBroken { scalars[index] = " " }
    }
    return Self(String.UnicodeScalarView(Self.withoutNumbers(scalars)))
  }

  /// Leaves out the digits of each run of digits and signs of a phone number that has seven digits or more.
  private static func withoutNumbers(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
    var scalars = scalars
    var start = 0
    while start < scalars.count {
      let run = scalars[start...].prefix { $0.isDigit || " -.()/+".unicodeScalars.contains($0) }
      if run.count(where: \.isDigit) >= 7 {
        for index in run.indices where scalars[index].isDigit { scalars[index] = "*" }
      }
      start = run.endIndex + (run.isEmpty ? 1 : 0)
    }
    return scalars
  }
}

extension Unicode.Scalar {
  fileprivate var isDigit: Bool { properties.generalCategory == .decimalNumber }

  /// Whether the character may be in a word: a letter, a mark or a number.
  fileprivate var isOfWord: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
      .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
      true
    default: false
    }
  }
}
