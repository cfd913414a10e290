extension DecodingError {
  /// The path to the member that failed to decode, and what is wrong with it. Never contains the value.
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
  /// The names along the path to a member, for an error. They may come from an untrusted source, so they are ASCII, and
  /// cut if they are long or many.
  package var memberPath: String {
    let names = prefix(16).map { $0.stringValue.printable(upTo: 32) }.joined(separator: ".")
    return count > 16 ? names + "…" : names
  }
}
