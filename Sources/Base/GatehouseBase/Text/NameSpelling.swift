extension String {
  /// The text in snake case: `local_id` for `localId`.
  package var snakeCased: String {
    guard utf8.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else { return self }
    var text = ""
    for character in utf8 {
      if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character) {
        text += "_"
        text.unicodeScalars.append(Unicode.Scalar(character | 0x20))
      } else {
        text.unicodeScalars.append(Unicode.Scalar(character))
      }
    }
    return text
  }

  /// The text in camel case: `refreshToken` for `refresh_token`.
  package var camelCased: String {
    guard utf8.contains(UInt8(ascii: "_")) else { return self }
    let words = split(separator: "_")
    return words.dropFirst().reduce(String(words.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
  }
}
