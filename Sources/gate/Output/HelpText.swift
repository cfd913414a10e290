import GatehouseSystem

extension String {
  /// Returns a help text on lines of at most `columns` characters. A word that is longer gets a line of its own.
  ///
  /// The given text has one line for each paragraph, each option and each row of a table. The lines of a paragraph
  /// begin in the same column as its first line, and the lines of an option below its description. If that left less
  /// than half of the columns for the description, it begins on the line below the option.
  func laidOut(at columns: Int) -> String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).lineLaidOut(at: columns) }
      .joined(separator: "\n")
  }

  private static let narrowIndent = 6

  private func lineLaidOut(at columns: Int) -> String {
    let indent = prefix { $0 == " " }.count
    for title in ["USAGE: ", "Usage: "] where hasPrefix(title) {
      return keepingBracketsWhole.wrapped(at: columns, indent: title.count, first: 0).withPlainSpaces
    }
    if indent * 2 > columns { return wrapped(at: columns, indent: Self.narrowIndent) }
    guard let gap = dropFirst(indent).firstRange(of: "  ") else {
      return count <= columns ? self : wrapped(at: columns, indent: indent)
    }
    let words = self[gap.lowerBound...].drop { $0 == " " }
    let column = distance(from: startIndex, to: words.startIndex)
    let label = String(self[..<gap.lowerBound])
    guard column * 2 > columns else {
      let spaces = String(repeating: " ", count: column - label.count)
      guard count > columns else { return self }
      return label + spaces
        + String(words).wrapped(at: columns, indent: column).drop { $0 == " " }
    }
    return label.wrapped(at: columns, indent: indent + 2, first: indent) + "\n"
      + String(words).wrapped(at: columns, indent: Self.narrowIndent)
  }

  /// The text with other characters in place of the spaces in `[…]` and `<…>`, so that `wrapped` does not break there.
  private var keepingBracketsWhole: String {
    var depth = 0
    return String(
      map { character in
        if "[<".contains(character) { depth += 1 }
        if "]>".contains(character) { depth -= 1 }
        return character == " " && depth > 0 ? "\u{A0}" : character
      })
  }

  private var withPlainSpaces: String { String(map { $0 == "\u{A0}" ? " " : $0 }) }
}
