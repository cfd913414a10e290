/// Base64 with the alphabet for URLs and without padding (RFC 4648 §5), in its one canonical spelling.
public enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let refused: UInt8 = 0xFF

  /// Each character's six bits; `refused` for what is not in the alphabet.
  private static let sextets: [UInt8] = {
    var table = Array(repeating: refused, count: 256)
    for (sextet, character) in alphabet.enumerated() { table[Int(character)] = UInt8(sextet) }
    return table
  }()

  /// The canonical spelling of some bytes.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: encodedBytes(bytes), as: UTF8.self)
  }

  /// The canonical spelling of some bytes, in ASCII.
  public static func encodedBytes(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.underestimatedCount * 4 / 3 + 3)
    var waiting: UInt32 = 0
    var bits = 0
    for byte in bytes {
      waiting = waiting << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        output.append(alphabet[Int(waiting >> bits & 63)])
      }
    }
    if bits > 0 { output.append(alphabet[Int(waiting << (6 - bits) & 63)]) }
    return output
  }

  /// The bytes that a text spells; `base64Malformed` for every spelling but the canonical one.
  ///
  /// Padding, space, `+`, `/`, a lone last character and bits that no byte needs are all refused: otherwise one
  /// token has many spellings, and a list of refused tokens misses most of them.
  public static func decode(_ text: String) throws(AuthError) -> [UInt8] { try decode(text.utf8) }

  /// The bytes that a text in ASCII spells, as strictly as `decode(_: String)`.
  public static func decode(_ text: some Collection<UInt8>) throws(AuthError) -> [UInt8] {
    let length = text.count
    guard length % 4 != 1 else { throw AuthError(.base64Malformed, "base64url never has this length") }
    var output: [UInt8] = []
    output.reserveCapacity(length * 3 / 4)
    let sextets = sextets
    var waiting: UInt32 = 0
    var bits = 0
    for character in text {
      let sextet = sextets[Int(character)]
      guard sextet != refused else {
        throw AuthError(.base64Malformed, "only letters, digits, - and _ occur in base64url")
      }
      waiting = waiting << 6 | UInt32(sextet)
      bits += 6
      if bits >= 8 {
        bits -= 8
        output.append(UInt8(truncatingIfNeeded: waiting >> bits))
      }
    }
    guard waiting & (1 << bits - 1) == 0 else {
      throw AuthError(.base64Malformed, "the last character has bits that belong to no byte")
    }
    return output
  }
}
