extension StringProtocol {
  /// The text as ASCII for an error, a log or a terminal, cut after a number of characters: untrusted text may contain
  /// terminal control sequences or invisible characters, or be very long.
  ///
  /// - Parameter quotes: whether quotation marks and backslashes are escaped as well. Not for a text that was made for
  ///   people, which may name a command.
  package func printable(upTo most: Int = 128, escapingQuotes quotes: Bool = true) -> String {
    let beginning = unicodeScalars.prefix(most).map { scalar in
      !quotes && "'\"\\".unicodeScalars.contains(scalar) ? String(scalar) : scalar.escaped(asASCII: true)
    }.joined()
    return unicodeScalars.dropFirst(most).isEmpty ? beginning : beginning + "…"
  }
}
