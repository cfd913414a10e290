import GatehouseBase

extension [any CodingKey] {
  /// The names on the way to a claim, for an error. They may be of others: in ASCII, and cut where they are long or
  /// many.
  var claimPath: String {
    let names = prefix(16).map { $0.stringValue.printable(upTo: 32) }.joined(separator: ".")
    return count > 16 ? names + "…" : names
  }
}
