/// Where a member of an object stands in a text that a scanner has passed.
struct JSONMember: Sendable {
  /// The inside of the name's quotes.
  let name: Range<Int>
  /// Whether the name has escapes.
  let isEscaped: Bool
  /// The value, without the space around it.
  var value: Range<Int> = 0..<0

  init(name: Range<Int>, isEscaped: Bool) {
    self.name = name
    self.isEscaped = isEscaped
  }

  func nameLength(in bytes: [UInt8]) -> Int {
    isEscaped ? JSONEscape.unescaped(bytes, name).count : name.count
  }

  func isNamed(_ other: String, in bytes: [UInt8]) -> Bool {
    guard !isEscaped else { return JSONEscape.unescaped(bytes, name).elementsEqual(other.utf8) }
    return bytes.span.extracting(name).isExactly(other.utf8.span)
  }

  func hasSameName(as other: JSONMember, in bytes: [UInt8]) -> Bool {
    guard !isEscaped, !other.isEscaped else {
      return JSONEscape.unescaped(bytes, name) == JSONEscape.unescaped(bytes, other.name)
    }
    return name.count == other.name.count
      && bytes.span.extracting(name).isExactly(bytes.span.extracting(other.name))
  }
}
