/// Where a member of an object stands in a text that a scanner has passed.
struct JSONMember: Sendable {
  let key: MemberKey
  /// The inside of the name's quotes.
  let name: Range<Int>
  /// Whether the name has escapes.
  let isEscaped: Bool
  /// The value, without the space around it.
  var value = 0..<0

  /// Whether another member of the text has the same name.
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

/// A member's name as three numbers, which are quick to compare: its length and its first sixteen bytes.
package struct MemberKey: Sendable, BitwiseCopyable {
  let length: Int
  private let start: UInt64
  private let next: UInt64

  /// The key of a name without escapes.
  @inline(__always)
  init(_ name: Span<UInt8>) {
    length = name.count
    start = name.word(at: 0)
    next = name.word(at: 8)
  }

  package init(_ name: StaticString) { self.init(name.description.utf8.span) }

  /// Whether the key is all of the name.
  var isWhole: Bool { length <= 16 }

  @inline(__always)
  static func == (left: Self, right: Self) -> Bool {
    left.length == right.length && left.start == right.start && left.next == right.next
  }
}

extension MemberKey: ExpressibleByStringLiteral {
  package init(stringLiteral name: StaticString) { self.init(name) }
}
