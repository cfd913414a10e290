import GatehouseSystem

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
