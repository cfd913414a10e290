extension Unicode.Scalar {
  /// The reason for which a new user name or address must not contain this character, because it is invisible or looks
  /// like another one; `nil` if it may.
  ///
  /// Covers these of the characters that the `IdentifierClass` of RFC 8264 (section 4.2) excludes: unassigned code
  /// points, ignorable ones, controls, spaces, compatibility characters. Printable ASCII is always allowed. Symbols and
  /// punctuation of other scripts are excluded there, but not here. For text in the form `usernameCaseMapped`.
  package var deception: String? {
    guard !(0x21...0x7E).contains(value) else { return nil }
    if let kind { return "\(name) \(kind)" }
    return nil
  }

  private var kind: String? {
    let category = properties.generalCategory
    // Checked before ignorable code points, many of which are not assigned yet.
    if category == .unassigned { return "is not assigned to a character" }
    if properties.isDefaultIgnorableCodePoint { return "is invisible" }
    switch category {
    case .control, .format, .surrogate: return "is a control character"
    case .spaceSeparator, .lineSeparator, .paragraphSeparator: return "is a space"
    case .privateUse: return "is for private use"
    default: return isCompatibility ? "is a compatibility character: write the ordinary ones" : nil
    }
  }

  /// The code point, which every terminal can show: `U+200B`.
  private var name: String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(4 - digits.utf8.count, 0)) + digits
  }
}
