/// Reads the elements of a DER value one after the other: one-byte tags, definite lengths of the fewest bytes.
struct DERReader {
  /// An element, as places in the bytes.
  struct Element {
    let tag: UInt8
    let whole: Range<Int>
    let content: Range<Int>
  }

  private var rest: Range<Int>

  /// Makes a reader of the elements in a range of bytes.
  init(_ range: Range<Int>) { rest = range }

  /// The next element; `nil` at the end, and for bytes that are no DER.
  mutating func next(in bytes: Span<UInt8>) -> Element? {
    guard rest.count >= 2 else { return nil }
    let (tag, first) = (bytes[rest.lowerBound], bytes[rest.lowerBound + 1])
    guard tag & 0x1F != 0x1F else { return nil }
    var (start, count) = (rest.lowerBound + 2, Int(first))
    if first >= 0x80 {
      let length = Int(first & 0x7F)
      guard (1...3).contains(length), rest.count >= 2 + length, bytes[start] != 0 else { return nil }
      count = (start..<start + length).reduce(0) { $0 << 8 | Int(bytes[$1]) }
      guard count >= 0x80 else { return nil }
      start += length
    }
    guard count <= rest.upperBound - start else { return nil }
    let element = Element(tag: tag, whole: rest.lowerBound..<start + count, content: start..<start + count)
    rest = start + count..<rest.upperBound
    return element
  }

  /// The tag and the length of an element with so many bytes, at most 65,535.
  static func header(_ tag: UInt8, count: Int) -> [UInt8] {
    switch count {
    case 0..<0x80: [tag, UInt8(count)]
    case 0x80..<0x100: [tag, 0x81, UInt8(count)]
    default: [tag, 0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
    }
  }
}
