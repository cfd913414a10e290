import GatehouseSystem

extension String {
  /// Returns the words of the text on lines of at most `columns` characters. A word that is longer gets a line of its
  /// own, uncut.
  ///
  /// - Parameters:
  ///   - columns: the maximum length of a line, with its indent.
  ///   - indent: the number of spaces at the beginning of each line.
  ///   - first: the number of spaces at the beginning of the first line; by default the same number.
  func wrapped(at columns: Int, indent: Int, first: Int? = nil) -> String {
    var lines: [String] = []
    var line = String(repeating: " ", count: first ?? indent)
    var isEmpty = true
    for word in split(separator: " ") {
      if !isEmpty, line.count + 1 + word.count > columns {
        lines.append(line)
        line = String(repeating: " ", count: indent)
        isEmpty = true
      }
      line += isEmpty ? word : " " + word
      isEmpty = false
    }
    return (lines + [line]).joined(separator: "\n")
  }
}

extension String {
  /// Returns the text with each of its lines broken into lines that fit a terminal of this width. The continuation
  /// lines are indented.
  func fitted(to columns: Int) -> String {
    split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard line.count > columns else { return String(line) }
      let indent = line.prefix { $0 == " " }.count
      return String(line).wrapped(at: max(columns, 20), indent: indent + 2, first: indent)
    }.joined(separator: "\n")
  }

  /// The text on lines that fit the terminal, if standard error is a terminal.
  var fittedToErrors: String { InheritedDescriptor.error.columns.map(fitted) ?? self }
}

extension InheritedDescriptor {
  /// The length of a line for people to read: as in a help text, but at most 80 characters.
  var lineLength: Int { min(helpColumns, 80) }
}
