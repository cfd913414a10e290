/// The offsets of an object's member in a text that a scanner has accepted.
///
/// Kept small, because one is created for every name of every token: no scanned text is longer than
/// `JSONScanner.longest`.
struct JSONMember: Sendable, BitwiseCopyable {
  let key: MemberKey
  /// Whether the name has escapes.
  let isEscaped: Bool
  private let nameStart, nameEnd, valueStart, valueEnd: UInt32

  /// `name` is the range between the name's quotes.
  @inline(__always)
  init(key: MemberKey, name: Range<Int>, isEscaped: Bool, value: Range<Int> = 0..<0) {
    self.key = key
    self.isEscaped = isEscaped
    nameStart = UInt32(truncatingIfNeeded: name.lowerBound)
    nameEnd = UInt32(truncatingIfNeeded: name.upperBound)
    valueStart = UInt32(truncatingIfNeeded: value.lowerBound)
    valueEnd = UInt32(truncatingIfNeeded: value.upperBound)
  }

  /// The range between the name's quotes.
  var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }

  /// The range of the value, without surrounding white space.
  var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }

  /// Whether another member of the same text has the same name.
  @inline(__always)
  func hasSameName(as other: JSONMember, in text: Span<UInt8>) -> Bool {
    key == other.key && (key.isWhole || hasSameLongName(as: other, in: text))
  }

  private func hasSameLongName(as other: JSONMember, in text: Span<UInt8>) -> Bool {
    unescapedName(in: text) == other.unescapedName(in: text)
  }

  func unescapedName(in text: Span<UInt8>) -> [UInt8] {
    let inside = text.extracting(name)
    return isEscaped ? JSONEscape.unescaped(inside) : [UInt8](copying: inside)
  }
}

/// A member's name as three numbers, for fast comparison: its length and its first sixteen bytes.
package struct MemberKey: Sendable, BitwiseCopyable {
  let length: Int
  private let start: UInt64
  private let next: UInt64

  /// The key of a name without escapes.
  init(_ name: Span<UInt8>) { self.init(0..<name.count, of: name) }

  /// The key of the name in a byte range of a text, without escapes.
  @inline(__always)
  init(_ name: Range<Int>, of text: Span<UInt8>) {
    length = name.count
    start = text.word(at: name.lowerBound, count: length)
    next = length > 8 ? text.word(at: name.lowerBound &+ 8, count: length &- 8) : 0
  }

  /// The key of the name that starts at an offset and ends with a quote. `nil` if the name has escapes or non-ASCII
  /// bytes, is too long, or is within sixteen bytes of the text's end.
  @inline(__always)
  init?(plainNameAt offset: Int, of text: Span<UInt8>) {
    guard offset >= 0, offset &+ 16 < text.count else { return nil }
    length = text.plainLength(at: offset)
    start = text.word(at: offset) & Self.bytes(length)
    next = text.word(at: offset &+ 8) & Self.bytes(length &- 8)
    guard text[offset &+ length] == UInt8(ascii: "\"") else { return nil }
  }

  /// A mask of the lowest `count` bytes. The count is clamped to 0 … 8.
  @inline(__always)
  private static func bytes(_ count: Int) -> UInt64 {
    count >= 8 ? .max : count <= 0 ? 0 : 1 &<< UInt64(8 &* count) &- 1
  }

  package init(_ name: StaticString) { self.init(name.description.utf8.span) }

  /// The key of a short name; `nil` for a name that is longer than the key can hold.
  package init?(short name: String) {
    self.init(name.utf8.span)
    guard isWhole else { return nil }
  }

  /// One of 64 bits, the same for equal names: an object in whose members' bits it is not set has no such name.
  @inline(__always)
  var bit: UInt64 { 1 &<< ((start ^ UInt64(truncatingIfNeeded: length)) &* 0x9E37_79B9_7F4A_7C15 &>> 58) }

  /// Whether the key contains the whole name.
  var isWhole: Bool { length <= 16 }

  @inline(__always)
  static func == (left: Self, right: Self) -> Bool {
    left.start == right.start && left.length == right.length && left.next == right.next
  }
}

extension MemberKey: ExpressibleByStringLiteral {
  package init(stringLiteral name: StaticString) { self.init(name) }
}
