extension [String] {
  /// The rows of a table, for people: one line each, whatever the cells contain. The tables of all commands are written
  /// by this, because names, addresses and devices are other people's choice.
  var table: String { map(\.shown).joined(separator: "\n") }
}
