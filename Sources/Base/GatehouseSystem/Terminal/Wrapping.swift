extension String {
  /// Returns the words of the text on lines of at most `columns` characters. A word that is longer gets a line of its
  /// own, uncut.
  ///
  /// - Parameters:
  ///   - columns: the maximum length of a line, with its indent.
  ///   - indent: the number of spaces at the beginning of each line.
  ///   - first: the number of spaces at the beginning of the first line; by default the same number.
  package func wrapped(at columns: Int, indent: Int, first: Int? = nil) -> String {
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
