extension StringProtocol {
  /// The text as ASCII for an error, a log or a terminal, cut after a number of characters: untrusted text may contain
  /// terminal control sequences or invisible characters, or be very long.
  package func printable(upTo most: Int = 128) -> String {
    let beginning = unicodeScalars.prefix(most).map { $0.escaped(asASCII: true) }.joined()
    return unicodeScalars.dropFirst(most).isEmpty ? beginning : beginning + "…"
  }
}
