/// Base64 with the standard alphabet and padding (RFC 4648 §4), in canonical form only. Used for PEM and `x5c`; tokens
/// use `Base64URL`.
package enum Base64 {
  private static let padding = UInt8(ascii: "=")

  /// Encodes bytes.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text = Base64URL.encodedBytes(bytes).map { character in
      switch character {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: character
      }
    }
    while text.count % 4 != 0 { text.append(padding) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes text; throws `base64Malformed` for every encoding but the canonical one.
  ///
  /// Rejects missing or superfluous padding, white space, the alphabet of `Base64URL`, and nonzero unused bits.
  package static func decode(_ text: String) throws(AuthError) -> [UInt8] { try decode(Array(text.utf8)) }

  /// Decodes ASCII text, as strictly as `decode(_: String)`.
  package static func decode(_ text: [UInt8]) throws(AuthError) -> [UInt8] {
    guard text.count % 4 == 0 else {
      throw AuthError(.base64Malformed, "the length of base64 text must be a multiple of 4")
    }
    var body = text[...]
    while body.last == padding, text.count - body.count < 2 { body.removeLast() }
    var spelled: [UInt8] = []
    spelled.reserveCapacity(body.count)
    for character in body {
      switch character {
      case UInt8(ascii: "+"): spelled.append(UInt8(ascii: "-"))
      case UInt8(ascii: "/"): spelled.append(UInt8(ascii: "_"))
      case UInt8(ascii: "-"), UInt8(ascii: "_"):
        throw AuthError(.base64Malformed, "this is base64url; expected the standard alphabet with + and /")
      default: spelled.append(character)
      }
    }
    return try Base64URL.bytes(of: spelled)
  }
}
