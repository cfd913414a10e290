import GatehouseSystem

extension String {
  /// The words of the text on lines of at most `columns` characters. A longer word has a line of its own, uncut.
  ///
  /// - Parameters:
  ///   - columns: how long a line may be, with its indent.
  ///   - indent: how many spaces each line begins with.
  ///   - first: how many the first line begins with; by default as many.
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
  /// Each line of the text on as many as it takes on a terminal of so many columns. The further ones are indented.
  func fitted(to columns: Int) -> String {
    split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard line.count > columns else { return String(line) }
      let indent = line.prefix { $0 == " " }.count
      return String(line).wrapped(at: max(columns, 20), indent: indent + 2, first: indent)
    }.joined(separator: "\n")
  }

  /// The text on lines that fit the terminal, if standard error is one.
  var fittedToErrors: String { InheritedDescriptor.error.columns.map(fitted) ?? self }
}

extension InheritedDescriptor {
  /// How long a line for people is: as that of a help text, and at most 80 characters.
  var lineLength: Int { min(helpColumns, 80) }
}
