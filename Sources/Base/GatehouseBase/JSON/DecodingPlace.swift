extension DecodingError {
  /// The path to the member that does not decode, and what is wrong with it; never the value there.
  package var place: String {
    let (path, what): ([any CodingKey], String) =
      switch self {
      case .typeMismatch(let type, let context): (context.codingPath, "no \(type)")
      case .valueNotFound(let type, let context): (context.codingPath, "null instead of a \(type)")
      case .keyNotFound(let key, let context): (context.codingPath + [key], "missing")
      case .dataCorrupted(let context): (context.codingPath, "not readable")
      @unknown default: ([], "not readable")
      }
    return path.isEmpty ? what : "\(path.memberPath) is \(what)"
  }
}

extension [any CodingKey] {
  /// The names on the way to a member, for an error. They may be of others: in ASCII, and cut where they are long or
  /// many.
  package var memberPath: String {
    let names = prefix(16).map { $0.stringValue.printable(upTo: 32) }.joined(separator: ".")
    return count > 16 ? names + "…" : names
  }
}
