// A spreadsheet computes a cell whose text begins with `=`, `+`, `-` or `@`. One that expects semicolons between the
// columns ignores the quotes of our columns: there a cell begins after each semicolon, tab and line end.
extension String {
  /// The text with an apostrophe before each part that a spreadsheet would compute, and before a tab or a line end at
  /// its beginning. `withoutFormulaQuotes` removes them.
  ///
  /// A part that has apostrophes before its formula gets another one, so that no two texts have one form. Every other
  /// text stays as it is: `'tis` has no apostrophe that is removed.
  package var withFormulaQuotes: String {
    mapParts { part, isQuoted in (isQuoted ? "'" : "") + String(part) }
  }

  /// The text without the apostrophes that `withFormulaQuotes` adds.
  package var withoutFormulaQuotes: String {
    mapParts { part, isQuoted in String(isQuoted && part.first == "'" ? part.dropFirst() : part) }
  }

  /// Returns the text with each of its parts mapped. A part is what may become a cell.
  private func mapParts(_ map: (_ part: Substring.UnicodeScalarView, _ isQuoted: Bool) -> String) -> String {
    var result = ""
    var rest = unicodeScalars[...]
    while true {
      let part = rest.prefix { !Self.separators.contains($0) }
      let isFirst = part.startIndex == unicodeScalars.startIndex
      let separator = rest[part.endIndex...].first
      let isBlank = isFirst && separator != nil && separator != ";" && part.allSatisfy { $0 == "'" }
      result += map(part, isBlank || part.isFormula)
      guard let separator else { return result }
      result.unicodeScalars.append(separator)
      rest = rest[part.endIndex...].dropFirst()
    }
  }

  private static let separators: Set<Unicode.Scalar> = [";", "\t", "\r", "\n"]
}

extension Substring.UnicodeScalarView {
  /// Whether a spreadsheet would compute the text without the apostrophes at its beginning. White space, invisible
  /// characters and quotes before a formula count for nothing, because some spreadsheets remove them.
  fileprivate var isFormula: Bool {
    let first = drop { $0 == "'" }.first { scalar in
      let properties = scalar.properties
      return
        !(properties.isWhitespace || properties.isDefaultIgnorableCodePoint || scalar == "\""
        || properties.generalCategory == .control)
    }
    return first.map(Self.signs.contains) ?? false
  }

  /// The signs that begin a formula, with their small and fullwidth forms.
  private static let signs: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\u{FE62}", "\u{FE63}", "\u{FE66}", "\u{FE6B}", "\u{FF0B}", "\u{FF0D}", "\u{FF1D}", "\u{FF20}",
  ]
}
