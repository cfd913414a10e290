extension StringProtocol {
  /// The text as ASCII for an error, a log or a terminal, cut after a number of characters: text of others may hold
  /// commands to a terminal, invisible characters, or very much.
  package func printable(upTo most: Int = 128) -> String {
    let beginning = unicodeScalars.prefix(most).map { $0.escaped(asASCII: true) }.joined()
    return unicodeScalars.dropFirst(most).isEmpty ? beginning : beginning + "…"
  }
}
