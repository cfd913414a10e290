/// What stands behind a backslash in a JSON string.
enum JSONEscape {
  static let surrogates: ClosedRange<UInt16> = 0xD800...0xDFFF
  static let highSurrogates: ClosedRange<UInt16> = 0xD800...0xDBFF
  static let lowSurrogates: ClosedRange<UInt16> = 0xDC00...0xDFFF

  /// The byte that a letter stands for; `nil` for `u` and for every letter that stands for nothing.
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

  /// The number that the four hexadecimal digits at a place spell; `nil` if there are no four.
  static func unit(in bytes: Span<UInt8>, at place: Int) -> UInt16? {
    guard place + 4 <= bytes.count else { return nil }
    var unit: UInt16 = 0
    for digit in place..<place + 4 {
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

  /// What the inside of a string says that a scanner has passed.
  static func unescaped(_ bytes: Span<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var place = 0
    while place < bytes.count {
      guard bytes[place] == UInt8(ascii: "\\"), place + 1 < bytes.count else {
        output.append(bytes[place])
        place += 1
        continue
      }
      if let byte = byte(for: bytes[place + 1]) {
        output.append(byte)
        place += 2
        continue
      }
      var scalar = unit(in: bytes, at: place + 2).map(UInt32.init) ?? 0
      place += 6
      if highSurrogates.contains(UInt16(truncatingIfNeeded: scalar)), let low = unit(in: bytes, at: place + 2) {
        scalar = 0x1_0000 + (scalar & 0x3FF) << 10 + UInt32(low) & 0x3FF
        place += 6
      }
      output.append(contentsOf: String(Character(Unicode.Scalar(scalar) ?? "\u{FFFD}")).utf8)
    }
    return output
  }
}
