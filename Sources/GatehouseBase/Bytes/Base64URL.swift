/// Base64 with the alphabet for URLs and without padding (RFC 4648 §5), in its one canonical spelling.
public enum Base64URL {
  /// The canonical spelling of some bytes.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: encodedBytes(bytes), as: UTF8.self)
  }

  /// The canonical spelling of some bytes, in ASCII.
  public static func encodedBytes(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    append(Array(bytes).span, to: &output)
    return output
  }

  /// Appends the canonical spelling of some bytes, in ASCII.
  public static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
    let length = encodedCount(bytes.count)
    output.reserveCapacity(output.count + length)
    let whole = bytes.count - bytes.count % 3
    var place = 0
    while place < whole {
      let block = UInt32(bytes[place]) << 16 | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2])
      append(block, characters: 4, to: &output)
      place += 3
    }
    switch bytes.count - whole {
    case 1: append(UInt32(bytes[whole]) << 16, characters: 2, to: &output)
    case 2: append(UInt32(bytes[whole]) << 16 | UInt32(bytes[whole + 1]) << 8, characters: 3, to: &output)
    default: break
    }
  }

  /// How many characters spell so many bytes.
  public static func encodedCount(_ count: Int) -> Int { (count * 4 + 2) / 3 }

  private static func append(_ block: UInt32, characters: Int, to output: inout [UInt8]) {
    for place in 0..<characters {
      output.append(letter(UInt8(truncatingIfNeeded: block >> UInt32(18 - 6 * place)) & 63))
    }
  }

  /// The character for six bits.
  private static func letter(_ sextet: UInt8) -> UInt8 {
    switch sextet {
    case 0..<26: sextet + UInt8(ascii: "A")
    case 26..<52: sextet - 26 + UInt8(ascii: "a")
    case 52..<62: sextet - 52 + UInt8(ascii: "0")
    case 62: UInt8(ascii: "-")
    default: UInt8(ascii: "_")
    }
  }

  // MARK: Decoding

  /// The bytes that a text spells; `base64Malformed` for every spelling but the canonical one.
  ///
  /// Padding, space, `+`, `/`, a lone last character and bits that no byte needs are all refused: otherwise one
  /// token has many spellings, and a list of refused tokens misses most of them.
  public static func decode(_ text: String) throws(AuthError) -> [UInt8] { try decode(text.utf8.span) }

  /// The bytes that a text in ASCII spells, as strictly as `decode(_: String)`.
  public static func decode(_ text: [UInt8]) throws(AuthError) -> [UInt8] { try decode(text.span) }

  /// The bytes that a text in ASCII spells, as strictly as `decode(_: String)`.
  public static func decode(_ text: Span<UInt8>) throws(AuthError) -> [UInt8] {
    guard text.count % 4 != 1 else { throw AuthError(.base64Malformed, "base64url never has this length") }
    // All bits of all answers: the upper two are set if one character was not of the alphabet.
    var seen: UInt32 = 0
    var spare: UInt32 = 0
    let bytes = [UInt8](capacity: text.count / 4 * 3 + 2) { output in
      let table = sextets.span
      let whole = text.count & ~3
      var place = 0
      while place < whole {
        let (a, b) = (UInt32(table[Int(text[place])]), UInt32(table[Int(text[place + 1])]))
        let (c, d) = (UInt32(table[Int(text[place + 2])]), UInt32(table[Int(text[place + 3])]))
        seen |= a | b | c | d
        let block = a << 18 | b << 12 | c << 6 | d
        output.append(UInt8(truncatingIfNeeded: block >> 16))
        output.append(UInt8(truncatingIfNeeded: block >> 8))
        output.append(UInt8(truncatingIfNeeded: block))
        place += 4
      }
      guard place < text.count else { return }
      let (a, b) = (UInt32(table[Int(text[place])]), UInt32(table[Int(text[place + 1])]))
      let c = place + 2 < text.count ? UInt32(table[Int(text[place + 2])]) : 0
      seen |= a | b | c
      let block = a << 10 | b << 4 | c >> 2
      output.append(UInt8(truncatingIfNeeded: block >> 8))
      if place + 2 < text.count {
        output.append(UInt8(truncatingIfNeeded: block))
        spare = c & 3
      } else {
        spare = b & 15
      }
    }
    guard seen < UInt32(refused) else {
      throw AuthError(.base64Malformed, "only letters, digits, - and _ occur in base64url")
    }
    guard spare == 0 else {
      throw AuthError(.base64Malformed, "the last character has bits that belong to no byte")
    }
    return bytes
  }

  private static let refused: UInt8 = 64

  /// Each character's six bits; `refused` for what is not in the alphabet.
  private static let sextets: [UInt8] = {
    var table = Array(repeating: refused, count: 256)
    for sextet in 0..<refused { table[Int(letter(sextet))] = sextet }
    return table
  }()
}
