extension String {
  /// The text in snake case: `local_id` for `localId`.
  package var snakeCased: String {
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
    let words = split(separator: "_")
    return words.dropFirst().reduce(String(words.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
  }
}
