extension Unicode.Scalar {
  /// Why a new user name or address must not have this character, because it prints like nothing or like another one;
  /// `nil` if it may.
  ///
  /// Of what the `IdentifierClass` of RFC 8264 (section 4.2) keeps out, these are: unassigned code points, ignorable
  /// ones, controls, spaces, compatibility characters. ASCII that prints is never among them. Symbols and punctuation
  /// of other scripts are kept out there, and are not here. Asked about a text in the form `usernameCaseMapped`.
  package var deception: String? {
    guard !(0x21...0x7E).contains(value) else { return nil }
    if let kind { return "\(name) \(kind)" }
    return nil
  }

  private var kind: String? {
    let category = properties.generalCategory
    // Before the ignorable ones, of which many are not assigned yet.
    if category == .unassigned { return "is not assigned to a character" }
    if properties.isDefaultIgnorableCodePoint { return "is invisible" }
    switch category {
    case .control, .format, .surrogate: return "is a control character"
    case .spaceSeparator, .lineSeparator, .paragraphSeparator: return "is a space"
    case .privateUse: return "is for private use"
    default: return isCompatibility ? "is a compatibility character: write the ordinary ones" : nil
    }
  }

  /// Its number, which every terminal shows: `U+200B`.
  private var name: String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(4 - digits.utf8.count, 0)) + digits
  }
}
