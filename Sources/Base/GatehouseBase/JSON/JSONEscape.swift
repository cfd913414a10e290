/// The escape sequences of a JSON string.
enum JSONEscape {
  static let surrogates: ClosedRange<UInt16> = 0xD800...0xDFFF
  static let highSurrogates: ClosedRange<UInt16> = 0xD800...0xDBFF
  static let lowSurrogates: ClosedRange<UInt16> = 0xDC00...0xDFFF

  /// The byte for the letter after a backslash; `nil` for `u` and for every letter that is not an escape.
  static func byte(for letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  /// The value of the four hexadecimal digits at an offset; `nil` if there are fewer.
  static func unit(in bytes: Span<UInt8>, at offset: Int) -> UInt16? {
    guard offset + 4 <= bytes.count else { return nil }
    var unit: UInt16 = 0
    for digit in offset..<offset + 4 {
      switch bytes[digit] {
      case let byte where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"):
        unit = unit << 4 | UInt16(byte - UInt8(ascii: "0"))
      case let byte where byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f"):
        unit = unit << 4 | UInt16(byte - UInt8(ascii: "a") + 10)
      case let byte where byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "F"):
        unit = unit << 4 | UInt16(byte - UInt8(ascii: "A") + 10)
      default: return nil
      }
    }
    return unit
  }

  /// The character of an escape that a scanner has accepted, which begins at an offset, and its length in bytes.
  static func character(in bytes: Span<UInt8>, at offset: Int) -> (Unicode.Scalar, length: Int) {
    if let byte = byte(for: bytes[offset + 1]) { return (Unicode.Scalar(byte), 2) }
    let scalar = unit(in: bytes, at: offset + 2).map(UInt32.init) ?? 0
    guard highSurrogates.contains(UInt16(truncatingIfNeeded: scalar)), let low = unit(in: bytes, at: offset + 8) else {
      return (Unicode.Scalar(scalar) ?? "\u{FFFD}", 6)
    }
    return (Unicode.Scalar(0x1_0000 + (scalar & 0x3FF) << 10 + UInt32(low) & 0x3FF) ?? "\u{FFFD}", 12)
  }

  /// The unescaped text of a string that a scanner has accepted, given the bytes between its quotes.
  static func unescaped(_ bytes: Span<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var offset = 0
    while offset < bytes.count {
      guard bytes[offset] == UInt8(ascii: "\\"), offset + 1 < bytes.count else {
        output.append(bytes[offset])
        offset += 1
        continue
      }
      let (character, length) = Self.character(in: bytes, at: offset)
      output.append(contentsOf: String(Character(character)).utf8)
      offset += length
    }
    return output
  }
}
